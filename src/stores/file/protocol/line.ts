import { join } from "node:path";
import type { ReclaimReason } from "../../../lock/reclaim.ts";
import type { LockFormat } from "../../../lock/request.ts";
import type { Run } from "../../../lock/store.ts";
import type { ProcessMark } from "../../../machine/processes.ts";
import type { Auditor } from "../audit/entry.ts";
import { arrivalOf, lineOf, nextTicketName, type Ticket, writeTicket } from "../format/ticket.ts";
import { type ExaminedTicket, examineTicket } from "./examine.ts";
import type { JudgeRules } from "./judge.ts";
import {
  type Contender,
  checkNewer,
  checkSuperseded,
  supersedeOlder,
  supersessionPath,
} from "./newest.ts";
import { type Descriptor, type Steps, step } from "./world.ts";

/** A claim under way: what was asked for, and its ticket once it has one. */
export interface Claim extends Contender {
  readonly note: string | null;
  readonly slots: number;
  /** Seconds. */
  readonly ttl: number;
  /** Milliseconds. */
  readonly deadAfter: number;
  readonly format: LockFormat;
  readonly allowed: readonly ReclaimReason[];
  readonly digest: string;
  /** The process that stands in line. */
  readonly process: ProcessMark;
  /** The process that will hold the lock: mostly the same, else one that waits to adopt it. */
  readonly holder: ProcessMark;
  readonly rules: JudgeRules;
  readonly auditor: Auditor;
  /** The run that the lock is to belong to; null: it belongs to the process that holds it. */
  readonly run: Run | null;
  /** Monotonic milliseconds at which it began. */
  readonly started: number;
  /** False: claim once, without a ticket. */
  readonly mayWait: boolean;
  ticket: Placed | null;
}

/** A ticket of this claim, in the line. */
interface Placed {
  readonly path: string;
  readonly name: string;
  readonly descriptor: Descriptor;
  content: Ticket;
}

/** A waiter before this claim that lives, as far as can be known. */
export interface Ahead {
  readonly path: string;
  readonly inode: string;
  readonly process: ProcessMark;
  readonly alive: boolean | null;
  readonly slots: number;
  readonly beat: number;
  readonly deadAfter: number;
  readonly reviewAt: number | null;
}

export interface Line {
  /** Every ticket's name, in order, the pruned ones included. */
  readonly names: readonly string[];
  /** Of these, those between the first and this claim. */
  readonly between: readonly string[];
  /** The first in line; null where this claim is (or would be) first. */
  readonly first: Ahead | null;
  /** The one directly before this claim. */
  readonly ahead: Ahead | null;
}

/**
 * Removes the dead from the two places that matter to this claim: from the front, so that it learns
 * whether it is first, and from directly before it, so that it watches a ticket whose end wakes it.
 * The tickets between are other waiters' neighbours. So a turn costs the same however long the line.
 */
export function* pruneLine(claim: Claim, names: readonly string[]): Steps<Line> {
  let place = claim.ticket === null ? names.length : names.indexOf(claim.ticket.name);
  if (place === -1) {
    yield* checkSuperseded(claim, (claim.ticket as Placed).path);
    // Another process judged this claim dead or passed it over while it stood still. It joins again, at the end.
    yield* forgetTicket(claim);
    place = names.length;
  }
  let front = 0;
  const first = yield* firstLiving(claim, names.slice(0, place), (skipped) => {
    front += skipped;
  });
  if (first === null) return { names, between: [], first, ahead: null };
  const between = names.slice(front + 1, place);
  if (first.alive === null) yield* watchLine(claim, between);
  const ahead = yield* firstLiving(claim, between.toReversed(), () => {});
  return { names, between, first, ahead: ahead ?? first };
}

/**
 * Notes the beats of all of these, where nothing but silence tells who is dead: they are silent at the
 * same time, so that one silence is waited for and not one after the other.
 */
export function* watchLine(claim: Claim, names: readonly string[]): Steps<void> {
  for (const name of names) {
    const found = yield* examineTicket(join(claim.place.side, name), claim.sightings);
    if (found?.ticket == null || found.alive !== true) continue;
    noteTurn(claim, aheadOf(found, found.ticket), yield* step("monotonic"));
  }
}

/** Since when a waiter's beat is what it is, while the lock is free. */
export function noteTurn({ sightings }: Claim, waiter: Ahead, monotonic: number): number {
  return sightings.note(`${waiter.path} ${waiter.inode} turn`, String(waiter.beat), monotonic);
}

function* firstLiving(
  claim: Claim,
  names: readonly string[],
  skip: (count: number) => void,
): Steps<Ahead | null> {
  for (const name of names) {
    const found = yield* examineTicket(join(claim.place.side, name), claim.sightings);
    if (found !== null && !found.dead && found.ticket !== null) return aheadOf(found, found.ticket);
    if (found !== null) yield* step("remove", found.path);
    skip(1);
  }
  return null;
}

function aheadOf(found: ExaminedTicket, ticket: Ticket): Ahead {
  const { path, inode, alive, reviewAt, deadAfter } = found;
  const { process, slots, beat } = ticket;
  return { path, inode, alive, reviewAt, process, slots, beat, deadAfter };
}

/** Removes a waiter that did not take its turn. When it wakes it finds its ticket gone, and joins again. */
export function* passOver(claim: Claim, line: Line, waiter: Ahead): Steps<Line> {
  yield* step("remove", waiter.path);
  const names = line.names.filter((name) => join(claim.place.side, name) !== waiter.path);
  return yield* pruneLine(claim, names);
}

/**
 * Joins the line at its end with a ticket, unless this claim has one. Under the guard. `side` are the
 * names in the side directory.
 */
export function* joinLine(claim: Claim, side: readonly string[]): Steps<void> {
  if (claim.ticket !== null) return;
  yield* checkNewer(claim, side);
  const since = yield* step("now");
  const name = nextTicketName(lineOf(side), since, yield* step("random"));
  const path = join(claim.place.side, name);
  const content: Ticket = {
    owner: claim.owner.id,
    note: claim.note,
    metadata: claim.owner.metadata,
    slots: claim.slots,
    since: Math.floor(since),
    deadAfter: claim.deadAfter,
    beat: 0,
    process: claim.process,
    ...(claim.newest ? { newest: true } : {}),
    ...(claim.newest && claim.arrived !== null ? { arrived: claim.arrived } : {}),
  };
  const descriptor = yield* step("create", path, writeTicket(content));
  claim.ticket = { path, name, descriptor, content };
  claim.arrived ??= arrivalOf(name, content);
  if (claim.newest) yield* supersedeOlder(claim, side);
}

/** Leaves the line: the ticket goes, and with it the word that a newer claim may have left for this one. */
export function* leaveLine(claim: Claim): Steps<void> {
  if (claim.ticket === null) return;
  yield* step("remove", claim.ticket.path);
  if (claim.newest) yield* step("remove", supersessionPath(claim.ticket.path));
  yield* forgetTicket(claim);
}

function* forgetTicket(claim: Claim): Steps<void> {
  const ticket = claim.ticket;
  claim.ticket = null;
  if (ticket !== null) yield* step("close", ticket.descriptor);
}
