import type { Hold, HoldEnd } from "../../../lock/history.ts";
import { HISTORY_LIMIT } from "../../../lock/history.ts";
import { resourcesOf } from "../../../lock/resources.ts";
import {
  freeSlots,
  type HolderEntry,
  type Instant,
  type KeyDocument,
  slotsOf,
  type WaiterEntry,
} from "../document.ts";
import { entering } from "./line.ts";

/** What an operation may know of the world: the time, and a nonce that nobody else has. */
export interface Moment extends Instant {
  readonly nonce: string;
}

/**
 * What is known about a claim's life: true, false, or null for not known. Nobody is promoted without
 * true, and nobody is dropped without false.
 */
export type Lives = (entry: HolderEntry | WaiterEntry) => boolean | null;

/** Why an operation did not make a next state. */
export type Refusal =
  | { readonly refused: "slots"; readonly present: number }
  | { readonly refused: "resources"; readonly present: readonly string[] | null }
  | { readonly refused: "busy" | "behind" | "frozen" | "absent" | "full" };

export type Outcome = KeyDocument | Refusal;

export function isRefusal<T extends object>(outcome: T | Refusal): outcome is Refusal {
  return "refused" in outcome;
}

/**
 * How many nonces are kept. A swap whose answer was lost is recognised as long as fewer other swaps followed
 * before its process reads again. More nonces would only make documents longer.
 */
export const NONCES_KEPT = 64;

/** The next state: the changes, with a new nonce and the turn that they make. */
export function nextState(
  document: KeyDocument,
  changes: Partial<KeyDocument>,
  nonce: string,
): KeyDocument {
  const changed = { ...document, ...changes };
  const before = document.nonce === "" ? document.nonces : [document.nonce, ...document.nonces];
  const turn = turnAfter(document, changed, nonce);
  return { ...changed, nonce, nonces: before.slice(0, NONCES_KEPT), turn };
}

function turnAfter(before: KeyDocument, after: KeyDocument, nonce: string): string | null {
  const [first] = entering(after);
  if (first === undefined) return null;
  const same =
    entering(before)[0]?.id === first.id &&
    before.fence === after.fence &&
    freeSlots(before) === freeSlots(after) &&
    before.freeze === after.freeze;
  return same && before.turn !== null ? before.turn : nonce;
}

/** Whether this state is the one that the nonce named, or came from it. */
export function remembers(document: KeyDocument | null, nonce: string): boolean {
  return document !== null && (document.nonce === nonce || document.nonces.includes(nonce));
}

/** A document that remembers a hold which is over. */
export function withoutHolder(
  document: KeyDocument,
  holder: HolderEntry,
  end: HoldEnd,
  now: number,
): KeyDocument {
  const { owner, since, waited, fence, slot, slots, metadata } = holder;
  const held = Math.max(0, now - Date.parse(since));
  const resources = resourcesOf(document.resources ?? null, slotsOf(holder));
  const several = slots === undefined ? {} : { slots };
  const named = resources === null ? {} : { resources };
  const what = { slot, ...several, ...named };
  const hold: Hold = { owner, since, waited, held, fence, ...what, end, metadata };
  return {
    ...document,
    holders: document.holders.filter(({ id }) => id !== holder.id),
    holds: [hold, ...document.holds].slice(0, HISTORY_LIMIT),
  };
}
