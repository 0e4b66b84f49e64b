import type { ReclaimReason } from "../../../lock/reclaim.ts";
import type { Claim, Grant } from "./claim.ts";
import { type Examined } from "./examine.ts";
import { type Memory } from "./fence-file.ts";
import { type Steps } from "./world.ts";
/** A lock that this claim may take from its holder, and why. */
export interface Reclaim {
    readonly lock: Examined;
    readonly reason: ReclaimReason;
    readonly priority: "high" | "medium";
}
/**
 * Makes the lock of a slot this claim's. Under the guard. Null where a tool that knows no guard got
 * there first: the caller looks again.
 */
export declare function take(claim: Claim, memory: Memory, slot: number, reclaim: Reclaim | null): Steps<Grant | null>;
