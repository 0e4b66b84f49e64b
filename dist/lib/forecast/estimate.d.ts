import { type Estimate, type Hold } from "../lock/history.ts";
import type { Metadata } from "../lock/owner.ts";
import type { Holder } from "../lock/status.ts";
export interface Question {
    /** Newest first. */
    readonly holds: readonly Hold[];
    readonly holders: readonly (Pick<Holder, "since" | "metadata" | "reclaimable"> & Heavy)[];
    /** The claims that are served before this one, in order, where they are known. */
    readonly ahead?: readonly (Heavy & {
        readonly metadata: Metadata;
        readonly ready?: boolean;
    })[];
    /** How many slots the claim itself takes. Left out: 1. */
    readonly weight?: number;
    /** 1 is next. */
    readonly position: number;
    /** How many slots can be given out: slots that are frozen alone do not count. */
    readonly slots: number;
    readonly now: number;
}
/** How many slots somebody takes; left out: 1. */
interface Heavy {
    readonly weight?: number;
}
/** When it will be a claim's turn. Null where too few holds are known, or no holder is in the way. */
export declare function estimateTurn(question: Question): Estimate | null;
export {};
