import type { ReclaimReason } from "../../../lock/reclaim.ts";
import {
  type Claimant,
  freeSlots,
  freezeAt,
  type HolderEntry,
  type Instant,
  type KeyDocument,
  untilTime,
  type WaiterEntry,
} from "../document.ts";
import { grant } from "./grant.ts";
import { type Moment, nextState, type Outcome, type Refusal, withoutHolder } from "./state.ts";

/** As many may wait for a key: beyond that a document outgrows what registers carry. */
export const LINE_LIMIT = 100;
/** As many losses and supersessions are remembered: who was robbed looks within seconds. */
export const REMEMBERED = 20;

/** A holder whose lock may be taken, and by which rule. */
export interface Reclaim {
  readonly id: string;
  readonly reason: ReclaimReason;
}

export interface TakeRequest {
  readonly claimant: Claimant;
  readonly slots: number;
  readonly waited: number;
  /** Holders that are dead, or that this claim may rob. */
  readonly reclaim: readonly Reclaim[];
  /** Claims in line that are dead, or that did not come when it was their turn. */
  readonly drop: readonly string[];
  /** An emergency does not queue up behind those who wait. */
  readonly overtakes?: boolean;
}

/** Takes a free slot for a claim whose turn it is. */
export function take(document: KeyDocument, request: TakeRequest, moment: Moment): Outcome {
  const { claimant, slots, waited } = request;
  if (document.holders.some(({ id }) => id === claimant.id)) return { refused: "busy" };
  if (freezeAt(document, moment) !== null) return { refused: "frozen" };
  const cleared = reclaim(drop(document, request.drop), request.reclaim, claimant.owner, moment);
  const others = cleared.line.filter(({ id }) => id !== claimant.id);
  const mismatch = checkSlots({ ...cleared, line: others }, slots);
  if (mismatch !== null) return mismatch;
  const open = { ...cleared, slots };
  const free = freeSlots(open);
  if (free === 0) return { refused: "busy" };
  const place = open.line.findIndex(({ id }) => id === claimant.id);
  // A newcomer waits behind everybody; the first in line may go in together where slots are free.
  const behind = place === -1 ? others.length > 0 : place >= free;
  if (behind && !request.overtakes) return { refused: "behind" };
  return nextState(document, grant(open, claimant, waited, moment), moment.nonce);
}

export interface JoinRequest {
  readonly waiter: WaiterEntry;
  readonly slots: number;
  readonly drop: readonly string[];
  /** So many may wait. Default: LINE_LIMIT. */
  readonly limit?: number;
}

/** Puts a claim at the end of the line. One that wants to be the newest ends the older ones. */
export function join(document: KeyDocument, request: JoinRequest, { nonce }: Moment): Outcome {
  const { waiter, slots, limit = LINE_LIMIT } = request;
  if (isPresent(document, waiter.id)) return { refused: "busy" };
  const cleared = drop(document, request.drop);
  const mismatch = checkSlots(cleared, slots);
  if (mismatch !== null) return mismatch;
  const { line, superseded } = waiter.newest ? withdrawSuperseded(cleared, waiter) : cleared;
  if (line.length >= limit) return { refused: "full" };
  return nextState(document, { line: [...line, waiter], superseded, slots }, nonce);
}

/**
 * A sign of life of a claim in line: those behind it see that it has not died, though a turn before
 * its own is left untaken.
 */
export function sign(document: KeyDocument, { id }: Claimant, { nonce }: Moment): Outcome {
  if (!document.line.some((each) => each.id === id)) return { refused: "absent" };
  const line = document.line.map((each) => (each.id === id ? { ...each, sign: nonce } : each));
  return nextState(document, { line }, nonce);
}

/** Ends the claims in line that said they want to be the newest, now that there is a newer one. */
function withdrawSuperseded(document: KeyDocument, newer: WaiterEntry) {
  const older = document.line.filter(({ newest }) => newest);
  const url = typeof newer.metadata.run_url === "string" ? newer.metadata.run_url : null;
  const ended = older.map(({ id }) => ({ id, by: newer.owner, url }));
  return {
    line: document.line.filter(({ newest }) => !newest),
    superseded: [...ended, ...document.superseded].slice(0, REMEMBERED),
  };
}

/** A later claim of the run that holds the key: it has the same fence and slot, at once. */
export function share(
  document: KeyDocument,
  { claimant }: Pick<TakeRequest, "claimant">,
  moment: Moment,
): Outcome {
  const { nonce } = moment;
  const holder = sharedBy(document, claimant, moment);
  if (holder === null) return { refused: "absent" };
  const sharers = [...(holder.sharers ?? []), claimant.digest].slice(-REMEMBERED);
  // Where each counts its ttl from what it saw, all have to begin anew with this claim.
  const anew = holder.ends === undefined ? { refresh: nonce } : {};
  const holders = document.holders.map((each) =>
    each.id === holder.id ? { ...each, ...anew, sharers } : each,
  );
  const line = document.line.filter(({ id }) => id !== claimant.id);
  return nextState(document, { holders, line }, nonce);
}

/** The hold that a claim may share: one of the same run and attempt, as long as it lasts. */
export function sharedBy(
  document: KeyDocument,
  claimant: Pick<Claimant, "run">,
  instant: Instant,
): HolderEntry | null {
  const holder = holdOfRun(document, claimant);
  // What others will soon reclaim is not shared any more: this claim takes it anew, with its own fence.
  return (untilTime(holder?.ends, instant) ?? 1) > 0 ? holder : null;
}

export function holdOfRun(
  document: KeyDocument,
  { run }: Pick<Claimant, "run">,
): HolderEntry | null {
  if (run === undefined) return null;
  return document.holders.find((holder) => holder.run === run) ?? null;
}

/** Takes the lock from holders that are dead or may be robbed, and remembers by whom and why. */
export function reclaim(
  document: KeyDocument,
  reclaims: readonly Reclaim[],
  by: string,
  { now }: Pick<Moment, "now">,
): KeyDocument {
  let next = document;
  for (const { id, reason } of reclaims) {
    const holder = next.holders.find((each) => each.id === id);
    if (holder === undefined) continue;
    next = withoutHolder(next, holder, END_OF[reason] ?? "broken", now);
    const { fence } = holder;
    next = { ...next, taken: remember(next, { fence, by, reason, how: reason }) };
  }
  return next;
}

const END_OF: Partial<Record<ReclaimReason, "expired" | "dead">> = {
  LOCK_EXPIRED: "expired",
  HOLDER_DEAD: "dead",
};

export function remember(document: KeyDocument, taken: KeyDocument["taken"][number]) {
  return [taken, ...document.taken].slice(0, REMEMBERED);
}

export function drop(document: KeyDocument, ids: readonly string[]): KeyDocument {
  if (ids.length === 0) return document;
  return { ...document, line: document.line.filter(({ id }) => !ids.includes(id)) };
}

function isPresent(document: KeyDocument, claim: string): boolean {
  return [...document.holders, ...document.line].some(({ id }) => id === claim);
}

/** Claims of a key must agree about its slots while anybody holds or waits. */
function checkSlots(document: KeyDocument, slots: number): Refusal | null {
  const inUse = document.holders.length > 0 || document.line.length > 0;
  if (!inUse || document.slots === slots) return null;
  return { refused: "slots", present: document.slots };
}
