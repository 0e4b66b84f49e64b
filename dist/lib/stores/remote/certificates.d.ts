import type { StoreOptions } from "../options.ts";
/** Whom to trust, where the user named a file; undefined: whom the system trusts. */
export declare function readTrusted({ caFile, workingDirectory, }: StoreOptions): Promise<readonly string[] | undefined>;
