import { nextFence } from "../../../lock/time.ts";
import {
  type Claimant,
  freeSlots,
  freezeAt,
  type HolderEntry,
  type KeyDocument,
  openSlots,
  type WaiterEntry,
} from "../document.ts";
import type { Life } from "../life.ts";
import { lineAfter, nextOf } from "./line.ts";
import type { Lives, Moment } from "./state.ts";

/** Engines tell their time to the second, and what a process makes of that may lie so far back. */
const CLOCK_PRECISION_MS = 1_000;

/** The first fence of a key of which nothing is known any more: above all that can have been given. */
export function firstFence(now: number): number {
  return nextFence(null, now + CLOCK_PRECISION_MS);
}

/**
 * Makes a claim in line a holder, in the first free slots and with the next fence. A freeze that stands
 * in the document is over then, and goes: another process could still think that it is in force.
 */
export function grant(
  document: KeyDocument,
  waiter: WaiterEntry,
  waited: number | null,
  { now, nonce, shared }: Moment,
): KeyDocument {
  const fence = document.fence === null ? firstFence(now) : nextFence(document.fence, now);
  const claimant = claimantOf(waiter);
  const slots = openSlots(document).slice(0, waiter.weight ?? 1);
  const time = new Date(now).toISOString();
  const holder: HolderEntry = {
    ...claimant,
    life: lifeFrom(claimant, now),
    fence,
    slot: slots[0] as number,
    ...(slots.length > 1 ? { slots } : {}),
    since: time,
    waited,
    beat: nonce,
    refresh: nonce,
    renewed: time,
    ...(shared && hasEnd(claimant) ? { ends: new Date(now + claimant.ttl).toISOString() } : {}),
  };
  const holders = [...document.holders, holder].sort((one, other) => one.slot - other.slot);
  const line = lineAfter(document, waiter);
  return { ...document, fence, holders, line, freeze: null, freezeEnds: undefined };
}

/** Nobody refreshes it: its ttl is a bound. */
export function hasEnd({ run, life }: Claimant): boolean {
  return run !== undefined || life?.kind === "until";
}

/** A fixed end that was given as a length begins with the grant. */
function lifeFrom({ life, ttl }: Claimant, now: number): Life | null {
  if (life?.kind !== "until" || life.at !== null) return life;
  return { kind: "until", at: new Date(now + ttl).toISOString() };
}

/** What a claim says of itself, without its place in line. */
function claimantOf(waiter: WaiterEntry): Claimant {
  const { joined, newest, sign, weight, priority, passed, ready, ...claimant } = waiter;
  return claimant;
}

/**
 * Gives free slots to those whose turn it is and that are known to live, and drops those before them
 * that are known to be dead. It stops at a claim of which nothing is known: that one has to come by itself,
 * since a lock that is given to the dead stays with them. Only a session says that a claim is still
 * pursued; a job may live on when its claim has long been given up.
 */
export function promote(document: KeyDocument, lives: Lives, moment: Moment): KeyDocument {
  let next = document;
  if (freezeAt(document, moment) !== null) return next;
  for (;;) {
    const free = freeSlots(next);
    const waiter = free === 0 ? null : nextOf(next.line);
    if (waiter === null) return next;
    const alive = lives(waiter);
    if (alive === false) {
      next = { ...next, line: next.line.filter(({ id }) => id !== waiter.id) };
      continue;
    }
    const isKnown = alive === true && waiter.life?.kind === "session";
    if (!isKnown || (waiter.weight ?? 1) > free) return next;
    // By two machines' clocks, and so only for people.
    const waited = Math.max(0, moment.now - Date.parse(waiter.joined));
    next = grant(next, waiter, waited, moment);
  }
}
