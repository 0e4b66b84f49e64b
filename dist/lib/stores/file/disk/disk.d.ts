import type { World } from "../protocol/world.ts";
export interface DiskOptions {
    /** Read and write bits for new files, from the directory's own mode; null: leave them 0600. */
    readonly mode: number | null;
    /** Sync new lock files to the disk before they appear, as the sema protocol asks. */
    readonly sync: boolean;
}
type Disk = Pick<World, "list" | "read" | "inode" | "create" | "open" | "link" | "rename" | "remove" | "put" | "append" | "overwrite" | "close">;
/** The disk's steps. Synchronous on purpose: under the guard nothing may come between two, and it is faster. */
export declare function openDisk(options: DiskOptions): Disk;
/** The steps that only look, for a process that changes nothing. */
export declare const diskView: Pick<World, "list" | "read" | "inode">;
export declare function absentAs<T>(absent: T, call: () => T): T;
export {};
