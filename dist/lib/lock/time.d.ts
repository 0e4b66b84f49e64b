/** Where the time comes from. It is injected, so that tests and the model use their own clock. */
export interface Clock {
    /** Wall-clock milliseconds. Good for people and for files; it may jump. */
    now(): number;
    /** Milliseconds that only grow, the same for all processes since the machine's boot. */
    monotonic(): number;
}
export declare const systemClock: Clock;
/**
 * The longest time that a timer of Node's can run, in milliseconds, some 25 days. A longer timer fires
 * at once: use `Alarm`.
 */
export declare const TIMER_LIMIT_MS: number;
/** A timer for any length of time. A time beyond Node's limit is split into several stretches. */
export declare class Alarm {
    #private;
    /** `limit`: the longest stretch. Only tests set it, since nobody can wait for 25 days. */
    constructor(milliseconds: number, ring: () => void, limit?: number);
    cancel(): void;
}
/** Tells a claim that stands in line that it may take the lock now, and how long it waits from then on. */
export declare class Readiness {
    #private;
    /** Fires when the claim is ready. */
    get signal(): AbortSignal;
    /** Milliseconds from then on; 0: take the lock now or not at all; null: without limit. */
    get timeout(): number | null;
    /** The claim is ready. Only the first time counts. */
    declare(timeout: number | null): void;
}
/** The time of a claim: when it may take the lock, how long it waits from then on, and what ends it. */
export declare class Term {
    #private;
    /** `sources`: signals that cancel the claim. */
    constructor({ timeout, asked, ready, }: {
        readonly timeout?: number | null;
        readonly asked?: number | null;
        readonly ready?: Readiness;
    }, ...sources: readonly (AbortSignal | undefined)[]);
    /** Fires when the claim is cancelled or its time is over. */
    get signal(): AbortSignal;
    get isCancelled(): boolean;
    /** The claim may take the lock. Until then it only stands in line. */
    get isReady(): boolean;
    /** Fires when the claim is ready; undefined where it was from the start. */
    get ready(): AbortSignal | undefined;
    /** Milliseconds that a ready claim waits; 0: not at all; null: without limit. */
    get limit(): number | null;
    /** The limit that the user gave, before some of it was used elsewhere. */
    get asked(): number | null;
    /** False: take the lock now or not at all. */
    get mayWait(): boolean;
    /** By `performance.now`: when its time is over; null: never, or not yet known. */
    get endsAt(): number | null;
    clear(): void;
}
/** A signal that never fires. */
export declare const NEVER: AbortSignal;
/** The promise's own result, or a rejection with `late()` if it takes longer than `ms`. */
export declare function within<T>(promise: Promise<T>, ms: number, late: () => Error): Promise<T>;
/**
 * The highest fence that is believed where others may have written it: above it is room for 10^12
 * grants, so that the next one is always a safe integer.
 */
export declare const FENCE_LIMIT: number;
/**
 * The next fencing number: `max(last + 1, now in microseconds)`. Because it follows the clock, it
 * also grows when the store's memory of `last` was wiped, restored from a backup or moved; because
 * of `last + 1`, it also grows when the clock went back. A safe integer until the year 2255.
 */
export declare function nextFence(last: number | null, nowMs: number): number;
/** A time that others wrote, in the one form that ISO 8601 and JavaScript share; null if it has another form. */
export declare function readTime(value: unknown): string | null;
