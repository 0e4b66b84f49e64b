import type { LockFormat } from "../../lock/request.ts";
export interface MigrateOptions {
    readonly to: LockFormat;
    /** Who migrates, for the record. */
    readonly owner: string;
    readonly user?: string;
    readonly workingDirectory?: string;
}
export interface Migration {
    readonly path: string;
    readonly outcome: "migrated" | "already" | "live" | "garbage" | "missing";
    /** A sentence for people. */
    readonly message: string;
}
/**
 * Converts one lock file, in place. Throws BAD_STORE for a path that no store would take and
 * BAD_LOCK_FILE for a directory or a lock that the other format cannot say; the file is then as it was.
 */
export declare function migrateLockFile(path: string, options: MigrateOptions): Promise<Migration>;
