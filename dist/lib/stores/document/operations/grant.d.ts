import { type Claimant, type KeyDocument, type WaiterEntry } from "../document.ts";
import type { Lives, Moment } from "./state.ts";
/** Makes a claim a holder, in the first free slot and with the next fence. */
export declare function grant(document: KeyDocument, claimant: Claimant, waited: number | null, { now, nonce }: Moment): KeyDocument;
/** What a claim says of itself, without its place in line. */
export declare function claimantOf(waiter: WaiterEntry): Claimant;
/**
 * Gives free slots to the first in line that are known to live, and drops those before them that are
 * known to be dead. It stops at a claim of which nothing is known: that one has to come by itself,
 * since a lock that is given to the dead stays with them. Only a beacon says that a claim is still
 * pursued; a job may live on when its claim has long been given up.
 */
export declare function promote(document: KeyDocument, lives: Lives, moment: Moment): KeyDocument;
