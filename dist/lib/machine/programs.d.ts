/** The keeper's program, beside the one that runs: in dist/ as bundles, in the sources as modules. */
export declare function keeperEntry(program: string): string;
/** The CLI's program, likewise. */
export declare function cliEntry(program: string): string;
/** The program that talks to the Actions cache, likewise. */
export declare function cacheEntry(program: string): string;
