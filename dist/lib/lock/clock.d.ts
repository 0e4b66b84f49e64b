/** Time, injected. Tests and the model bring their own. */
export interface Clock {
    /** Wall-clock milliseconds. Good for people and for files; it may jump. */
    now(): number;
    /** Milliseconds that only grow, the same for all processes since the machine's boot. */
    monotonic(): number;
}
export declare const systemClock: Clock;
