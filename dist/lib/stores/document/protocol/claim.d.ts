import { LockError } from "../../../lock/errors.ts";
import type { ReclaimReason } from "../../../lock/reclaim.ts";
import { type Claimant, type HolderEntry } from "../document.ts";
import type { Timing } from "../timing.ts";
import type { Sightings } from "./sightings.ts";
import { type Seen, type Tries } from "./swap.ts";
import { type Steps } from "./world.ts";
/** A claim under way: what was asked for, and what it has seen and tried so far. */
export interface Claim {
    readonly key: string;
    readonly claimant: Claimant;
    readonly slots: number;
    readonly allowed: readonly ReclaimReason[];
    /** A newer claim of this kind ends it while it waits. */
    readonly newest: boolean;
    /** False: take it now or not at all. */
    readonly mayWait: boolean;
    /** The register wakes who waits. Then a look is worth a strong read; else it costs a budget. */
    readonly pushes: boolean;
    readonly timing: Timing;
    /** Monotonic milliseconds at which it began. */
    readonly started: number;
    readonly sightings: Sightings;
    readonly tries: Tries;
    /** It could not leave the line: the register was away. Somebody has to try that again. */
    isStranded: boolean;
}
/** What a granted claim holds. */
export interface Grant {
    readonly holder: HolderEntry;
    readonly seen: Seen;
    /** Monotonic milliseconds at which it was not yet granted: its ttl counts from there. */
    readonly notBefore: number;
    readonly reclaimed: {
        readonly from: string;
        readonly reason: ReclaimReason;
    } | null;
}
/** Waits in line until granted; null where it was cancelled or may not wait. The line is left then. */
export declare function claimSteps(claim: Claim): Steps<Grant | null>;
export declare function supersededBy(key: string, by: string, url: string | null): LockError;
/**
 * Leaves the line, and releases the lock where the claim was promoted in the meantime. Where a swap of this
 * claim may still arrive, it is made impossible: else it would take a lock that nobody has.
 */
export declare function leaveSteps(claim: Claim): Steps<void>;
