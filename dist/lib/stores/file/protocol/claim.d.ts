import type { Owner } from "../../../lock/owner.ts";
import type { ReclaimReason } from "../../../lock/reclaim.ts";
import type { LockFormat } from "../../../lock/request.ts";
import type { ProcessMark } from "../../../machine/processes.ts";
import type { Auditor } from "../audit/entry.ts";
import type { Place } from "../disk/place.ts";
import type { OwnRecord } from "../format/record.ts";
import type { Ticket } from "../format/ticket.ts";
import type { JudgeRules } from "./judge.ts";
import type { Sightings } from "./sightings.ts";
import { type Descriptor, type Steps } from "./world.ts";
/** A claim under way: what was asked for, and its ticket once it has one. */
export interface Claim {
    readonly place: Place;
    readonly owner: Owner;
    readonly note: string | null;
    readonly slots: number;
    /** Seconds. */
    readonly ttl: number;
    /** Milliseconds. */
    readonly deadAfter: number;
    readonly format: LockFormat;
    readonly allowed: readonly ReclaimReason[];
    readonly digest: string;
    /** Who stands in line. */
    readonly process: ProcessMark;
    /** Who will hold the lock: mostly the same, else a process that waits to adopt it. */
    readonly holder: ProcessMark;
    readonly rules: JudgeRules;
    readonly auditor: Auditor;
    readonly sightings: Sightings;
    /** Monotonic milliseconds at which it began. */
    readonly started: number;
    /** False: take it now or not at all, without a ticket. */
    readonly mayWait: boolean;
    ticket: {
        path: string;
        name: string;
        descriptor: Descriptor;
        content: Ticket;
    } | null;
}
/** What a granted claim holds. */
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
/** Waits in line until granted; null where it was cancelled, or may not wait. The line is left then. */
export declare function claimSteps(claim: Claim): Steps<Grant | null>;
