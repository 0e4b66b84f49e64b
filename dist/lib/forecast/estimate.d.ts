import { type Estimate, type Hold } from "../lock/history.ts";
import type { Metadata } from "../lock/owner.ts";
import type { Holder } from "../lock/status.ts";
export interface Question {
    /** Newest first. */
    readonly holds: readonly Hold[];
    readonly holders: readonly Pick<Holder, "since" | "metadata" | "reclaimable">[];
    /** The claims that wait before this one, in order, where they are known. */
    readonly ahead?: readonly {
        readonly metadata: Metadata;
    }[];
    /** 1 is next. */
    readonly position: number;
    readonly slots: number;
    readonly now: number;
}
/** When it will be a claim's turn. Null where too few holds are known, or no holder is in the way. */
export declare function estimateTurn(question: Question): Estimate | null;
