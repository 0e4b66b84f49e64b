/** A clock is where the time comes from. It is injected, so that tests and the model bring their own. */
export interface Clock {
    /** Wall-clock milliseconds. Good for people and for files; it may jump. */
    now(): number;
    /** Milliseconds that only grow, the same for all processes since the machine's boot. */
    monotonic(): number;
}
export declare const systemClock: Clock;
/**
 * The longest that a timer of Node's can run, in milliseconds, some 25 days. One that is asked to run
 * longer fires at once: use `Alarm`.
 */
export declare const TIMER_LIMIT_MS: number;
/** A timer for any length of time. One that is beyond Node's own goes in several stretches. */
export declare class Alarm {
    #private;
    /** `limit`: the longest stretch. Only tests name another, since nobody can wait for 25 days. */
    constructor(milliseconds: number, ring: () => void, limit?: number);
    cancel(): void;
}
/** A signal that fires when the caller's signal does or the time is over, and can tell which. */
export declare class Deadline {
    #private;
    timedOut: boolean;
    constructor(timeout: number | null, source?: AbortSignal);
    get signal(): AbortSignal;
    clear(): void;
}
/** The promise's own result, or a rejection with `late()` when it takes longer than `ms`. */
export declare function within<T>(promise: Promise<T>, ms: number, late: () => Error): Promise<T>;
