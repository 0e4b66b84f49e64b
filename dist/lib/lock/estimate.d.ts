import { type Hold } from "./history.ts";
import type { Metadata } from "./owner.ts";
import type { Holder } from "./store.ts";
/** When it is a claim's turn. Times in seconds; a range, since nobody knows the point. */
export interface Estimate {
    readonly lower: number;
    readonly upper: number;
    /** How long the (first) holder's kind of hold usually lasts: the median. */
    readonly usual: number;
    /** How many holds this is made of. */
    readonly holds: number;
    /** Whose holds: those of the same workflow and job, or all of the key. */
    readonly basis: "job" | "key";
    /** A holder is over its usual time: it has lasted longer than nine of ten did. */
    readonly overdue: boolean;
}
export interface Question {
    /** Newest first. */
    readonly holds: readonly Hold[];
    readonly holders: readonly Pick<Holder, "since" | "metadata" | "reclaimable">[];
    /** Those who wait before this claim, in order, where they are known. */
    readonly ahead?: readonly {
        readonly metadata: Metadata;
    }[];
    /** 1 is next. */
    readonly position: number;
    readonly slots: number;
    readonly now: number;
}
/** Fewer say nothing: any range would be made up. */
export declare const LEAST_HOLDS = 3;
/** Null where there are too few holds to say anything, or nobody is in the way. */
export declare function estimateTurn(question: Question): Estimate | null;
