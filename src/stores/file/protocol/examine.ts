import { OWNER_BYTES_LIMIT } from "../../../lock/owner.ts";
import { cutToBytes } from "../../../lock/text.ts";
import { type Place, slotPath } from "../disk/place.ts";
import { parseLock } from "../format/format.ts";
import type { LockRecord } from "../format/record.ts";
import { parseTicket, type Ticket } from "../format/ticket.ts";
import { type JudgeRules, judge, nextLook, processesOf, type Verdict } from "./judge.ts";
import { type FileView, type Steps, step } from "./world.ts";

/**
 * Since when this process has seen a file's heartbeat unchanged. A watcher elsewhere judges by its own monotonic
 * clock alone, and knows nothing that it has not watched itself.
 */
export class Observations {
  readonly #seen = new Map<string, { value: string; since: number }>();

  /** Notes what is seen now and answers since when it has been so. */
  note(what: string, value: string, monotonic: number): number {
    const known = this.#seen.get(what);
    if (known?.value === value) return known.since;
    this.#seen.set(what, { value, since: monotonic });
    return monotonic;
  }

  /** Begins anew. */
  forget(): void {
    this.#seen.clear();
  }
}

/**
 * A file as it was read. It may have been rewritten since, however little this process did in between. So
 * silence is judged at `before`, and begins only by a clock that was read after the file.
 */
export interface Seen extends FileView {
  /** Monotonic milliseconds before the reading. */
  readonly before: number;
}

/** Reads a file that is to be judged; null if there is none. */
export function* look(path: string): Steps<Seen | null> {
  const before = yield* step("monotonic");
  const view = yield* step("read", path);
  return view === null ? null : { ...view, before };
}

/** A lock file as it was found, and the judgement about it. */
export interface Examined {
  readonly slot: number;
  readonly path: string;
  readonly view: FileView;
  readonly record: LockRecord;
  readonly verdict: Verdict;
}

/** Reads and judges the lock of a slot; null if the slot is free. Changes nothing. */
export function* examineSlot(
  place: Place,
  slot: number,
  rules: JudgeRules,
  observations: Observations,
): Steps<Examined | null> {
  const path = slotPath(place, slot);
  const view = yield* look(path);
  if (view === null) return null;
  const examined = yield* examineView(path, view, rules, observations);
  // A link may lead to any file. A file there that cannot be read as a lock never counts as a dead one.
  if (place.linked && examined.record.kind === "unreadable")
    return { slot, path, view, ...examined, verdict: UNTOUCHABLE };
  return { slot, path, view, ...examined };
}

/** A holder, with its lock files: one for each slot that it has. */
export interface Occupant {
  /** The first of them: its content and its judgement count for all. */
  readonly lock: Examined;
  readonly locks: readonly Examined[];
  /**
   * False: a crash or another tool left a part of its files. Under the guard that is no hold any more: the files
   * are made and removed together there, so a part of them is either no grant yet or over already.
   */
  readonly isWhole: boolean;
}

/** Examines the locks of a key's slots, those of one holder together. Changes nothing. */
export function* examineHolders(
  place: Place,
  slots: number,
  rules: JudgeRules,
  observations: Observations,
): Steps<Occupant[]> {
  const found: { grant: string | null; locks: [Examined, ...Examined[]] }[] = [];
  for (let slot = 0, end = slots; slot < end; slot++) {
    const lock = yield* examineSlot(place, slot, rules, observations);
    if (lock === null) continue;
    if (lock.record.kind === "holdfast") end = Math.max(end, lock.record.slots);
    const grant = grantOf(lock);
    const known = grant === null ? undefined : found.find((each) => each.grant === grant);
    if (known === undefined) found.push({ grant, locks: [lock] });
    else known.locks.push(lock);
  }
  return found.map(({ locks }) => {
    const [lock] = locks;
    const isWhole = heldBy(lock).every((slot) => locks.some((each) => each.slot === slot));
    return { lock, locks, isWhole };
  });
}

/** A text that is the same for all locks of one grant, and for no others; null if it has one lock alone. */
function grantOf({ record }: Examined): string | null {
  if (record.kind !== "holdfast" || record.together === undefined) return null;
  return `${record.fence} ${record.digest}`;
}

/** The slots that a lock's holder has. */
export function heldBy({ record, slot }: Examined): readonly number[] {
  return (record.kind === "holdfast" ? record.together : undefined) ?? [slot];
}

const UNTOUCHABLE: Verdict = { vitality: "unknown", alive: null, living: [], reviewAt: null };

export function* examineView(
  path: string,
  view: Seen,
  rules: JudgeRules,
  observations: Observations,
): Steps<{ record: LockRecord; verdict: Verdict }> {
  const record: LockRecord =
    view.problem === undefined
      ? parseLock(view.content)
      : { kind: "unreadable", problem: view.problem };
  const alive: (boolean | null)[] = [];
  for (const mark of processesOf(record, rules)) alive.push(yield* step("alive", mark));
  const now = yield* step("now");
  const after = yield* step("monotonic");
  const name = `${path} ${view.inode}`;
  const own = record.kind === "holdfast" ? record : null;
  const beatSeen = observations.note(`${name} beat`, String(own?.beat), after);
  const refreshSeen = observations.note(`${name} refresh`, String(own?.refreshed), after);
  const forge = own?.run?.forge ?? null;
  const runAlive = forge === null ? null : yield* step("runAlive", forge);
  const { modified, before: monotonic } = view;
  const fileNow = own?.run == null ? now : yield* step("fileNow", path);
  const evidence = { now, fileNow, monotonic, modified, alive, beatSeen, refreshSeen, runAlive };
  return { record, verdict: judge(record, evidence, rules) };
}

export interface ExaminedTicket extends Pick<Seen, "before"> {
  readonly path: string;
  readonly inode: string;
  /** Null if a crash left it half written. */
  readonly ticket: Ticket | null;
  readonly dead: boolean;
  readonly alive: boolean | null;
  /** Milliseconds of silence after which it loses its place. */
  readonly deadAfter: number;
  readonly reviewAt: number | null;
}

/**
 * The longest silence of a waiter, whatever its ticket says. It can only lose its place in line, and a ticket
 * that asks for years would keep a free lock from everyone behind it.
 */
export const TICKET_SILENCE_LIMIT_MS = 600_000;

/** Reads and judges a ticket; null if it is gone. */
export function* examineTicket(
  path: string,
  observations: Observations,
): Steps<ExaminedTicket | null> {
  const view = yield* look(path);
  if (view === null) return null;
  const { inode, before } = view;
  const ticket = parseTicket(view.content);
  const deadAfter = Math.min(ticket?.deadAfter ?? 0, TICKET_SILENCE_LIMIT_MS);
  const known = { path, inode, before, ticket, deadAfter };
  if (ticket === null) return { ...known, dead: true, alive: false, reviewAt: null };
  const alive = yield* step("alive", ticket.process);
  if (alive !== null) return { ...known, dead: !alive, alive, reviewAt: null };
  const after = yield* step("monotonic");
  const since = observations.note(`${path} ${inode}`, String(ticket.beat), after);
  const dead = before - since >= deadAfter;
  return {
    ...known,
    dead,
    alive: dead ? false : null,
    reviewAt: dead ? null : nextLook(since, deadAfter, before),
  };
}

/** By this the record of a lock's end is found again; null if its tool gives no such mark. */
export function fenceOf(lock: Examined): number | null {
  return lock.record.kind === "holdfast" ? lock.record.fence : null;
}

/** Its slots, as a line of the audit log tells them. */
export function slotsIn(lock: Examined): { slot: number; slots?: readonly number[] } {
  const [slot = lock.slot, ...more] = heldBy(lock);
  return more.length === 0 ? { slot } : { slot, slots: [slot, ...more] };
}

/** What to call a holder in the record of a reclaim. */
export function nameOf(lock: Examined): string {
  switch (lock.record.kind) {
    case "holdfast":
    case "policy":
      // A foreign owner may be as long as its file: our own lock, which names it, must stay readable.
      return cutToBytes(lock.record.owner, OWNER_BYTES_LIMIT);
    case "sema":
      return `pid-${lock.record.pid}`;
    case "unreadable":
      return "unknown";
  }
}
