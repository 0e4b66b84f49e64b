import type { GuardEntry } from "../protocol/world.ts";
export interface GuardOptions {
    readonly cancel?: AbortSignal;
    /** Makes the guard's file, where it is missing. */
    readonly prepare: () => void;
    /** Told once when the guard is stuck, and with null when it no longer is. */
    readonly onStuck?: (trouble: string | null) => void;
    /** Gives up after this many milliseconds, where nothing cancels. */
    readonly patience?: number;
}
/**
 * The key's guard: an exclusive lock of an empty SQLite database, which is a kernel lock on its file.
 * The kernel drops it when its process ends, even by kill -9, so it needs no timeout.
 *
 * Never open the guard's file by other means: closing any descriptor of it would drop the lock.
 */
export declare class Guard {
    #private;
    constructor(path: string);
    enter(options: GuardOptions): Promise<GuardEntry>;
    /** Tries once to enter, without waiting. */
    tryEnter(options: Pick<GuardOptions, "prepare">): boolean;
    leave(): void;
    close(): void;
}
/** Names the process that has a kernel lock on a file, where the system tells (Linux). */
export declare function whoLocks(path: string): string | null;
/** Lines such as `1: POSIX  ADVISORY  WRITE 4711 fd:01:1234 1073741826 1073742335`. */
export declare function lockingPid(locks: string, device: bigint, inode: bigint): number | null;
