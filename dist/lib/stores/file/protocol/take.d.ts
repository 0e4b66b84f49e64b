import type { ReclaimReason } from "../../../lock/reclaim.ts";
import type { OwnRecord } from "../format/record.ts";
import { type Examined } from "./examine.ts";
import { type Memory } from "./fence-file.ts";
import { type Claim } from "./line.ts";
import { type Descriptor, type Steps } from "./world.ts";
/** A lock that this claim may take from its holder, and why. */
export interface Reclaim {
    readonly lock: Examined;
    readonly reason: ReclaimReason;
    readonly priority: "high" | "medium";
}
/** A granted lock: its file, open, and what it says. */
export interface Grant {
    readonly path: string;
    readonly descriptor: Descriptor;
    readonly record: OwnRecord;
    /** The record as it was written. */
    readonly content: string;
    readonly reclaimed: {
        readonly from: string;
        readonly reason: ReclaimReason;
    } | null;
}
/**
 * Takes a slot's lock for this claim, under the guard. Null where a tool that knows no guard was
 * first: the caller looks again.
 */
export declare function take(claim: Claim, memory: Memory, slot: number, reclaim: Reclaim | null): Steps<Grant | null>;
/**
 * Records a reclaim and then buries the lock, as a break and a clean do. In this order a crash in
 * between leaves a line about a lock that the next claim takes anyway; in the other a lock would be
 * gone without a line, and its holder could not be told who took it.
 */
export declare function recordAndBury(claim: Claim, { lock, reason, priority }: Reclaim): Steps<boolean>;
