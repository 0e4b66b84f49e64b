/** Throws NODE_TOO_OLD. A runner may take node from its PATH, whatever the action asks for. */
export declare function checkNode(): void;
/** The keeper's program, beside the one that runs: in dist/ as bundles, in the sources as modules. */
export declare function keeperEntry(program: string): string;
/** The title that a keeper gives itself, and by which it is known in a list of processes. */
export declare const KEEPER_TITLE = "holdfast-keeper";
/** Whether a running process is a keeper, by its command line: the title, or at first the program. */
export declare function isKeeper(pid: number): boolean;
/** The CLI's program, likewise. */
export declare function cliEntry(program: string): string;
/** The program that talks to the Actions cache, likewise. */
export declare function cacheEntry(program: string): string;
