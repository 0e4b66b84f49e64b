import type { HolderEntry, KeyDocument } from "../document.ts";
import { type Reclaim } from "./claim.ts";
import { type Lives, type Moment, type Outcome } from "./state.ts";
/** Releases a hold, and gives the slot to the first in line that is known to live. */
export declare function release(document: KeyDocument, { id }: Pick<HolderEntry, "id">, lives: Lives, moment: Moment): Outcome;
/** Takes a claim out of the line, or releases the lock where it was promoted in the meantime. */
export declare function leave(document: KeyDocument, { id }: Pick<HolderEntry, "id">, lives: Lives, moment: Moment): Outcome;
export interface BreakRequest {
    /** Only this slot. Left out: all. */
    readonly slot?: number;
    readonly reason: string;
    readonly by: string;
}
/** Takes the lock from its holders, dead or alive, and keeps the reason for them. */
export declare function breakHolders(document: KeyDocument, { slot, reason, by }: BreakRequest, lives: Lives, moment: Moment): Outcome;
/** Removes holders and waiters that are dead, for `clean`. */
export declare function bury(document: KeyDocument, dead: {
    readonly holders: readonly Reclaim[];
    readonly line: readonly string[];
    by: string;
}, lives: Lives, moment: Moment): Outcome;
