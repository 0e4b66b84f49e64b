import type { Random } from "./seeded.ts";
/**
 * How long a hold lasts, as a distribution that is made of nothing but the holds seen so far.
 *
 * With n of them the next one falls with equal chance into each of the n + 1 gaps that they leave,
 * whatever the distribution; within a gap all lengths are equally likely by their logarithm, and
 * beyond the longest one a heavy tail begins, so that a holder far over the usual time is
 * expected to hold for long. The chances themselves are uncertain, and so is whether the future is like the
 * past: each replicate weighs the gaps anew, and scales all lengths alike.
 */
export declare class Spread {
    #private;
    /** Milliseconds, newest first; at least one. */
    constructor(times: readonly number[]);
    /** Begins a replicate: all holds of one share one truth. */
    begin(random: Random): void;
    /** How long a hold lasts in all that has lasted `elapsed` so far. Milliseconds. */
    draw(elapsed: number, random: Random): number;
}
