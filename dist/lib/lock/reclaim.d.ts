import type { Metadata } from "./owner.ts";
/** Why a lock may be taken from its holder. The first two mean that it is dead; the others rob a living one. */
export declare const RECLAIM_REASONS: readonly ["LOCK_EXPIRED", "HOLDER_DEAD", "SAME_USER", "HIGHER_PRIVILEGE", "EMERGENCY_OVERRIDE"];
export type ReclaimReason = (typeof RECLAIM_REASONS)[number];
export type ReclaimDecision = {
    canReclaim: true;
    reason: ReclaimReason;
    priority: "high" | "medium";
} | {
    canReclaim: false;
    reason: "LOCK_HELD";
    priority: "low";
};
/** What `reclaim` takes, one or several of them. */
export declare const RECLAIM_WORDS: readonly string[];
/** In CI the other three would let one person's two deployments run together. */
export declare const DEFAULT_RECLAIM: readonly ReclaimReason[];
export declare function parseReclaim(text: string): readonly ReclaimReason[];
/** What the store found out about the holder: expired and dead are facts, not policy. */
export type Vitality = "alive" | "unknown" | "expired" | "dead";
export interface Claimant {
    readonly metadata: Metadata;
    readonly allowed: readonly ReclaimReason[];
}
/** The lock policy's decision tree, with HOLDER_DEAD, limited to what the claimant allowed. */
export declare function decideReclaim(holder: {
    vitality: Vitality;
    metadata: Metadata;
}, claimant: Claimant): ReclaimDecision;
