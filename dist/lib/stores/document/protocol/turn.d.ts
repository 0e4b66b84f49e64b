import { type ReclaimReason } from "../../../lock/reclaim.ts";
import { type Claimant, type HolderEntry, type Superseded, type WaiterEntry } from "../document.ts";
import { type Reclaim } from "../operations/claim.ts";
import type { Timing } from "../timing.ts";
import type { Judgement } from "./judge.ts";
import type { Sightings } from "./sightings.ts";
import type { Seen } from "./swap.ts";
/** Who claims, as far as its turn depends on it. */
export interface Candidate {
    readonly claimant: Claimant;
    readonly allowed: readonly ReclaimReason[];
    readonly sightings: Sightings;
    readonly timing: Pick<Timing, "grace">;
}
/** What a claim does next. */
export type Move = {
    readonly kind: "granted";
    readonly holder: HolderEntry;
} | {
    readonly kind: "share";
} | {
    readonly kind: "superseded";
    readonly by: Superseded;
} | {
    readonly kind: "take";
    readonly reclaim: readonly Reclaim[];
    readonly drop: readonly string[];
    readonly overtakes: boolean;
} | {
    readonly kind: "stand";
    readonly drop: readonly string[];
    readonly standing: Waiting;
};
export interface Waiting {
    readonly isInLine: boolean;
    /** Those before it of which it is not known that they are dead. */
    readonly ahead: readonly WaiterEntry[];
    /** Monotonic milliseconds at which it may be its turn without any change; null: never. */
    readonly reviewAt: number | null;
}
/** Those in line before a claim: all of them where it is not in line itself. */
export declare function aheadOf(seen: Seen, claim: string): readonly WaiterEntry[];
/** Whose turn it is, as one claim sees it. Pure. */
export declare function decide(seen: Seen, candidate: Candidate, judged: Judgement): Move;
