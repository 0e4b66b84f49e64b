import type { ProcessMark } from "../../../machine/processes.ts";
import type { Claim } from "./claim.ts";
import { type Steps } from "./world.ts";
/** Someone who stands before this claim and lives, as far as can be known. */
export interface Ahead {
    readonly path: string;
    readonly inode: string;
    readonly process: ProcessMark;
    readonly alive: boolean | null;
    readonly slots: number;
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
 * whether it is first, and from directly before it, so that it watches someone who can wake it.
 * Those between are some other waiter's neighbours. So a turn costs the same however long the line.
 */
export declare function pruneLine(claim: Claim, names: readonly string[]): Steps<Line>;
/** Takes a ticket at the end of the line, unless this claim has one. Under the guard. */
export declare function joinLine(claim: Claim, names: readonly string[]): Steps<void>;
/** Gives the ticket back. */
export declare function leaveLine(claim: Claim): Steps<void>;
