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
 * The kernel drops it when its process ends, even by kill -9, so there is nothing to time out and
 * nobody's half-done work to guess about.
 *
 * Never open the guard's file by other means: closing any descriptor of it would drop the lock.
 */
export declare class Guard {
    #private;
    constructor(path: string);
    enter(options: GuardOptions): Promise<GuardEntry>;
    /** One attempt, at once. */
    tryEnter(options: Pick<GuardOptions, "prepare">): boolean;
    leave(): void;
    close(): void;
}
