import type { Owner } from "../../../lock/owner.ts";
import type { ReclaimReason } from "../../../lock/reclaim.ts";
import type { LockFormat } from "../../../lock/request.ts";
import type { ProcessMark } from "../../../machine/processes.ts";
import type { Auditor } from "../audit/entry.ts";
import type { Place } from "../disk/place.ts";
import { type Ticket } from "../format/ticket.ts";
import { type Sightings } from "./examine.ts";
import type { JudgeRules } from "./judge.ts";
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
    /** The process that stands in line. */
    readonly process: ProcessMark;
    /** The process that will hold the lock: mostly the same, else one that waits to adopt it. */
    readonly holder: ProcessMark;
    readonly rules: JudgeRules;
    readonly auditor: Auditor;
    readonly sightings: Sightings;
    /** Monotonic milliseconds at which it began. */
    readonly started: number;
    /** False: claim once, without a ticket. */
    readonly mayWait: boolean;
    ticket: {
        path: string;
        name: string;
        descriptor: Descriptor;
        content: Ticket;
    } | null;
}
/** A waiter before this claim that lives, as far as can be known. */
export interface Ahead {
    readonly path: string;
    readonly inode: string;
    readonly process: ProcessMark;
    readonly alive: boolean | null;
    readonly slots: number;
    readonly beat: number;
    readonly deadAfter: number;
    readonly reviewAt: number | null;
}
export interface Line {
    /** Every ticket's name, in order, the pruned ones included. */
    readonly names: readonly string[];
    /** The first in line; null where this claim is (or would be) first. */
    readonly first: Ahead | null;
    /** The one directly before this claim. */
    readonly ahead: Ahead | null;
}
/**
 * Removes the dead from the two places that matter to this claim: from the front, so that it learns
 * whether it is first, and from directly before it, so that it watches a ticket whose end wakes it.
 * The tickets between are other waiters' neighbours. So a turn costs the same however long the line.
 */
export declare function pruneLine(claim: Claim, names: readonly string[]): Steps<Line>;
/** Removes a waiter that did not take its turn. When it wakes it finds its ticket gone, and joins again. */
export declare function passOver(claim: Claim, line: Line, waiter: Ahead): Steps<Line>;
/** Joins the line at its end with a ticket, unless this claim has one. Under the guard. */
export declare function joinLine(claim: Claim, names: readonly string[]): Steps<void>;
/** Leaves the line: the ticket goes. */
export declare function leaveLine(claim: Claim): Steps<void>;
