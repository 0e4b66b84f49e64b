import type { HolderEntry, KeyDocument } from "../document.ts";
import { type Lives, type Moment, type Outcome } from "./state.ts";
/**
 * Renews a hold: those who watch it see that it lives, and with `refreshes` its ttl begins anew.
 */
export declare function renew(document: KeyDocument, { id, refreshes }: Pick<HolderEntry, "id"> & {
    readonly refreshes: boolean;
}, { now, nonce }: Moment): Outcome;
/** Changes nothing but the nonce, so that a swap whose answer was lost can no longer arrive. */
export declare function seal(document: KeyDocument, { nonce }: Pick<Moment, "nonce">): KeyDocument;
export interface FreezeRequest {
    readonly by: string;
    readonly reason: string;
    /** ISO 8601; null: until it is thawed. */
    readonly until: string | null;
}
/** From now on nobody gets the key; its holders go on to their end. It replaces an earlier one. */
export declare function freeze(document: KeyDocument, { by, reason, until }: FreezeRequest, { now, nonce }: Moment): KeyDocument;
/** Ends a freeze, and gives free slots to those in line that are known to live. */
export declare function thaw(document: KeyDocument, lives: Lives, moment: Moment): Outcome;
