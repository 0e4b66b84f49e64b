import type { Freeze } from "../../../lock/status.ts";
import type { FrozenSlot, HolderEntry, KeyDocument } from "../document.ts";
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

/** Changes nothing but the nonce: after that a swap whose answer was lost can no longer arrive. */
export function seal(document: KeyDocument, { nonce }: Pick<Moment, "nonce">): KeyDocument {
  return nextState(document, {}, nonce);
}

export interface FreezeRequest {
  /** Only this slot. Null or absent: the whole key. */
  readonly slot?: number | null;
  /** Its name, for one that the document does not know yet. */
  readonly resource?: string | undefined;
  readonly by: string;
  readonly reason: string;
  /** Milliseconds; null: until it is thawed. */
  readonly duration: number | null;
}

/**
 * From now on nobody gets the key, or one slot of it; its holders go on to their end. The new freeze replaces an
 * earlier one.
 */
export function freeze(
  document: KeyDocument,
  { slot = null, resource: said, by, reason, duration }: FreezeRequest,
  { now, nonce, shared }: Moment,
): KeyDocument {
  const until = duration === null ? null : new Date(now + duration).toISOString();
  const ends = shared && until !== null ? until : undefined;
  const made: Freeze = { by, reason, since: new Date(now).toISOString(), until };
  if (slot === null) return nextState(document, { freeze: made, freezeEnds: ends }, nonce);
  const { resources, frozenSlots: present = [] } = document;
  const known = resources?.[slot] ?? present.find((each) => each.slot === slot)?.resource;
  const resource = known ?? said;
  const more = {
    ...(resource === undefined ? {} : { resource }),
    ...(ends === undefined ? {} : { ends }),
  };
  const frozenSlots = [...present.filter((each) => each.slot !== slot), { slot, ...made, ...more }];
  frozenSlots.sort((one, other) => one.slot - other.slot);
  return nextState(document, { frozenSlots }, nonce);
}

export interface ThawRequest {
  readonly by: string;
  /** Whether this freeze ends. Default: all do. */
  readonly ends?: (freeze: Freeze | FrozenSlot) => boolean;
}

/** The freezes of a document, that of the whole key first. */
export function freezesOf({ freeze, frozenSlots = [] }: KeyDocument): (Freeze | FrozenSlot)[] {
  return [...(freeze === null ? [] : [freeze]), ...frozenSlots];
}

/** Whether it is the freeze of this slot; null: that of the whole key. */
export function isFreezeOf(slot: number | null): (freeze: Freeze | FrozenSlot) => boolean {
  return (freeze) => ("slot" in freeze ? freeze.slot : null) === slot;
}

/** Ends freezes, and gives free slots to those in line that are known to live. */
export function thaw(
  document: KeyDocument,
  { by, ends = () => true }: ThawRequest,
  lives: Lives,
  moment: Moment,
): Outcome {
  if (!freezesOf(document).some(ends)) return { refused: "absent" };
  const thawed = { by, at: new Date(moment.now).toISOString() };
  const { freeze, frozenSlots } = document;
  const isEnd = freeze !== null && ends(freeze);
  const open: KeyDocument = {
    ...document,
    ...(isEnd ? { freeze: null, freezeEnds: undefined } : {}),
    frozenSlots: frozenSlots?.filter((each) => !ends(each)),
    thawed,
  };
  return nextState(document, promote(open, lives, moment), moment.nonce);
}
