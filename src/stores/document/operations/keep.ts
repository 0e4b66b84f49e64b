import type { Freeze } from "../../../lock/status.ts";
import type { HolderEntry, KeyDocument } from "../document.ts";
import { promote } from "./grant.ts";
import { type Lives, type Moment, nextState, type Outcome } from "./state.ts";

/**
 * Renews a hold: those who watch it see that it lives, and with `refreshes` its ttl begins anew.
 */
export function renew(
  document: KeyDocument,
  { id, refreshes }: Pick<HolderEntry, "id"> & { readonly refreshes: boolean },
  { now, nonce }: Moment,
): Outcome {
  if (!document.holders.some((each) => each.id === id)) return { refused: "absent" };
  const renewed = new Date(now).toISOString();
  const holders = document.holders.map((each) =>
    each.id === id
      ? { ...each, beat: nonce, renewed, ...(refreshes ? { refresh: nonce } : {}) }
      : each,
  );
  return nextState(document, { holders }, nonce);
}

/** Changes nothing but the nonce, so that a swap whose answer was lost can no longer arrive. */
export function seal(document: KeyDocument, { nonce }: Pick<Moment, "nonce">): KeyDocument {
  return nextState(document, {}, nonce);
}

export interface FreezeRequest {
  readonly by: string;
  readonly reason: string;
  /** Milliseconds; null: until it is thawed. */
  readonly duration: number | null;
}

/** From now on nobody gets the key; its holders go on to their end. It replaces an earlier one. */
export function freeze(
  document: KeyDocument,
  { by, reason, duration }: FreezeRequest,
  { now, nonce, shared }: Moment,
): KeyDocument & { readonly freeze: Freeze } {
  const until = duration === null ? null : new Date(now + duration).toISOString();
  const freezeEnds = shared && until !== null ? until : undefined;
  const made: Freeze = { by, reason, since: new Date(now).toISOString(), until };
  return { ...nextState(document, { freeze: made, freezeEnds }, nonce), freeze: made };
}

/** Ends a freeze, and gives free slots to those in line that are known to live. */
export function thaw(
  document: KeyDocument,
  { by }: Pick<FreezeRequest, "by">,
  lives: Lives,
  moment: Moment,
): Outcome {
  if (document.freeze === null) return { refused: "absent" };
  const thawed = { by, at: new Date(moment.now).toISOString() };
  const open: KeyDocument = { ...document, freeze: null, freezeEnds: undefined, thawed };
  return nextState(document, promote(open, lives, moment), moment.nonce);
}
