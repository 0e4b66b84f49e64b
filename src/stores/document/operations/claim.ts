import type { ReclaimReason } from "../../../lock/reclaim.ts";
import { followNames, isSameResources } from "../../../lock/resources.ts";
import {
  type Claimant,
  freeSlots,
  freezeAt,
  type HolderEntry,
  type Instant,
  type KeyDocument,
  type Rank,
  untilTime,
  type WaiterEntry,
} from "../document.ts";
import { grant } from "./grant.ts";
import { entering } from "./line.ts";
import {
  isRefusal,
  type Moment,
  nextState,
  type Outcome,
  type Refusal,
  withoutHolder,
} from "./state.ts";

/** How many may wait for a key: with more a document outgrows what registers carry. */
export const LINE_LIMIT = 100;
/** How many losses and supersessions are remembered: a claim that was robbed looks within seconds. */
export const REMEMBERED = 20;

/** A holder whose lock may be taken, and by which rule. */
export interface Reclaim {
  readonly id: string;
  readonly reason: ReclaimReason;
}

/** The slots of a key, as a claim names them. */
export interface Size {
  readonly slots: number;
  /** Null or absent: the slots have no names. */
  readonly resources?: readonly string[] | null | undefined;
}

export interface TakeRequest extends Size {
  readonly claimant: Claimant;
  /** The claim's place by the rule of admission, if it is not in line yet. */
  readonly rank?: Pick<Rank, "weight" | "priority"> | undefined;
  readonly waited: number;
  /** Holders that are dead, or that this claim may take the lock from. */
  readonly reclaim: readonly Reclaim[];
  /** Claims in line that are dead, or that did not take their turn. */
  readonly drop: readonly string[];
  /** An emergency is served before all that wait. */
  readonly overtakes?: boolean;
  /** It wants to be the newest: where it was not in line, it ends the older ones that were. */
  readonly newest?: boolean;
}

/** Takes free slots for a claim whose turn it is. */
export function take(document: KeyDocument, request: TakeRequest, moment: Moment): Outcome {
  const entry = enter(document, request, moment);
  if (isRefusal(entry)) return entry;
  const { open, waiter } = entry;
  const granted = grant(open, waiter, request.waited, moment);
  const isNew = document.line.every(({ id }) => id !== waiter.id);
  const ended = request.newest && isNew ? withdrawSuperseded(granted, waiter) : {};
  return nextState(document, { ...granted, ...ended }, moment.nonce);
}

/**
 * The document just before a claim takes its slots, with the claim in line; or why the claim may not take them.
 * A newcomer is judged as the last in line.
 */
export function enter(
  document: KeyDocument,
  request: Omit<TakeRequest, "waited">,
  moment: Instant,
): { readonly open: KeyDocument; readonly waiter: WaiterEntry } | Refusal {
  const { claimant, rank, overtakes } = request;
  if (document.holders.some(({ id }) => id === claimant.id)) return { refused: "busy" };
  if (freezeAt(document, moment) !== null) return { refused: "frozen" };
  const cleared = reclaim(drop(document, request.drop), request.reclaim, claimant.owner, moment);
  const sized = ofSize(cleared, request, claimant);
  if (isRefusal(sized)) return sized;
  const { line } = sized;
  const place = line.findIndex(({ id }) => id === claimant.id);
  const joined = new Date(moment.now).toISOString();
  // Who takes it is ready.
  const { ready: _, ...waiter } = line[place] ?? { ...claimant, ...rank, joined };
  const open = { ...sized, line: line.toSpliced(place === -1 ? line.length : place, 1, waiter) };
  const fits = (waiter.weight ?? 1) <= freeSlots(open);
  if (!fits) return { refused: "busy" };
  if (!overtakes && !entering(open).includes(waiter)) return { refused: "behind" };
  return { open, waiter };
}

export interface JoinRequest extends Size {
  readonly waiter: WaiterEntry;
  readonly drop: readonly string[];
  /** How many may wait. Default: LINE_LIMIT. */
  readonly limit?: number;
}

/** Puts a claim at the end of the line. A claim with `newest` ends the older ones of its kind. */
export function join(document: KeyDocument, request: JoinRequest, { nonce }: Moment): Outcome {
  const { waiter, limit = LINE_LIMIT } = request;
  if (isPresent(document, waiter.id)) return { refused: "busy" };
  const sized = ofSize(drop(document, request.drop), request, waiter);
  if (isRefusal(sized)) return sized;
  const { line, superseded } = waiter.newest ? withdrawSuperseded(sized, waiter) : sized;
  if (line.length >= limit) return { refused: "full" };
  return nextState(document, { ...sized, line: [...line, waiter], superseded }, nonce);
}

/**
 * A sign of life of a claim in line that is ready: those behind it see that it has not died, though a turn
 * before its own is left untaken. The first sign of a claim that was not ready says that it is.
 */
export function sign(document: KeyDocument, { id }: Claimant, { nonce }: Moment): Outcome {
  if (!document.line.some((each) => each.id === id)) return { refused: "absent" };
  const line = document.line.map((each) => {
    const { ready: _, ...waiter } = each;
    return each.id === id ? { ...waiter, sign: nonce } : each;
  });
  return nextState(document, { line }, nonce);
}

/** Ends the claims in line with `newest`, now that there is a newer one. */
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
  // If each process counts the ttl from what it saw, all have to begin anew with this claim.
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
  // A hold that others will soon reclaim is not shared: this claim takes the lock anew, with its own fence.
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

/**
 * The document with the slots that a claim names. All claims of a key must agree about them and their
 * names while anybody else holds or waits.
 */
function ofSize(
  document: KeyDocument,
  { slots, resources = null }: Size,
  { id: claim }: Pick<Claimant, "id">,
): KeyDocument | Refusal {
  const present = document.resources ?? null;
  const isSame = isSameResources(resources, present);
  if (document.slots === slots && isSame) return document;
  const others = document.line.filter(({ id }) => id !== claim);
  if (document.holders.length === 0 && others.length === 0) {
    const frozenSlots = document.frozenSlots && followNames(document.frozenSlots, resources);
    return { ...document, slots, resources: resources ?? undefined, frozenSlots };
  }
  if (document.slots !== slots) return { refused: "slots", present: document.slots };
  return { refused: "resources", present };
}
