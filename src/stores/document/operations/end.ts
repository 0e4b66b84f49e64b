import { type HolderEntry, type KeyDocument, slotsOf } from "../document.ts";
import { drop, REMEMBERED, type Reclaim, reclaim, remember } from "./claim.ts";
import { promote } from "./grant.ts";
import { type Lives, type Moment, nextState, type Outcome, withoutHolder } from "./state.ts";

/** Releases a hold, and gives the slot to the first in line that is known to live. */
export function release(
  document: KeyDocument,
  { id }: Pick<HolderEntry, "id">,
  lives: Lives,
  moment: Moment,
): Outcome {
  const holder = document.holders.find((each) => each.id === id);
  if (holder === undefined) return { refused: "absent" };
  const without = withoutHolder(document, holder, "released", moment.now);
  return nextState(document, promote(without, lives, moment), moment.nonce);
}

/** Takes a claim out of the line, or releases the lock where it was promoted in the meantime. */
export function leave(
  document: KeyDocument,
  { id }: Pick<HolderEntry, "id">,
  lives: Lives,
  moment: Moment,
): Outcome {
  if (document.holders.some((each) => each.id === id))
    return release(document, { id }, lives, moment);
  if (!document.line.some((each) => each.id === id)) return { refused: "absent" };
  return nextState(document, promote(drop(document, [id]), lives, moment), moment.nonce);
}

export interface BreakRequest {
  /** Only this slot. Left out: all. */
  readonly slot?: number;
  readonly reason: string;
  readonly by: string;
}

/** Whether a break of this slot takes the lock from a holder. Undefined: a break of all slots does. */
export function isOf(holder: HolderEntry, slot: number | undefined): boolean {
  return slot === undefined || slotsOf(holder).includes(slot);
}

/** Takes the lock from its holders, dead or alive, and keeps the reason for them. */
export function breakHolders(
  document: KeyDocument,
  { slot, reason, by }: BreakRequest,
  lives: Lives,
  moment: Moment,
): Outcome {
  const broken = document.holders.filter((each) => isOf(each, slot));
  if (broken.length === 0) return { refused: "absent" };
  let next = document;
  for (const holder of broken) {
    next = withoutHolder(next, holder, "broken", moment.now);
    const { fence } = holder;
    next = { ...next, taken: remember(next, { fence, by, reason, how: "break" }) };
  }
  return nextState(document, promote(next, lives, moment), moment.nonce);
}

/** Removes claims from the line, and keeps by whom and why. */
export function clearLine(
  document: KeyDocument,
  request: { readonly ids: readonly string[]; readonly reason: string; readonly by: string },
  lives: Lives,
  moment: Moment,
): Outcome {
  const { ids, reason, by } = request;
  const removed = document.line.filter(({ id }) => ids.includes(id));
  if (removed.length === 0) return { refused: "absent" };
  const owners = removed.slice(0, REMEMBERED).map(({ owner }) => owner);
  const cleared = { by, at: new Date(moment.now).toISOString(), reason, owners };
  const next = { ...drop(document, ids), cleared };
  return nextState(document, promote(next, lives, moment), moment.nonce);
}

/** Removes holders and waiters that are dead, for `clean`. */
export function bury(
  document: KeyDocument,
  dead: { readonly holders: readonly Reclaim[]; readonly line: readonly string[]; by: string },
  lives: Lives,
  moment: Moment,
): Outcome {
  const cleared = reclaim(drop(document, dead.line), dead.holders, dead.by, moment);
  const same =
    cleared.holders.length === document.holders.length &&
    cleared.line.length === document.line.length;
  if (same) return { refused: "absent" };
  return nextState(document, promote(cleared, lives, moment), moment.nonce);
}
