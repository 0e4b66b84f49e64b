import { join } from "node:path";
import { nextServed } from "../../../lock/admission.ts";
import type { ReclaimReason } from "../../../lock/reclaim.ts";
import type { LockFormat } from "../../../lock/request.ts";
import type { Run } from "../../../lock/store.ts";
import type { ProcessMark } from "../../../machine/processes.ts";
import type { Auditor } from "../audit/entry.ts";
import {
  arrivalOf,
  lineOf,
  nextTicketName,
  readyName,
  type Standing,
  standingOf,
  type Ticket,
  writeTicket,
} from "../format/ticket.ts";
import { type ExaminedTicket, examineTicket, type Observations } from "./examine.ts";
import { type Memory, passedOf, recall } from "./fence-file.ts";
import type { JudgeRules } from "./judge.ts";
import {
  type Contender,
  checkNewer,
  checkSuperseded,
  supersedeOlder,
  supersessionPath,
} from "./newest.ts";
import { type Descriptor, type Steps, step, type Watch } from "./world.ts";

/** A claim under way: what was asked for, and its ticket once it has one. */
export interface Claim extends Contender {
  readonly note: string | null;
  readonly slots: number;
  readonly resources: readonly string[] | null;
  readonly weight: number;
  readonly priority: number;
  /** Seconds. */
  readonly ttl: number;
  /** Milliseconds. */
  readonly deadAfter: number;
  readonly format: LockFormat;
  readonly allowed: readonly ReclaimReason[];
  readonly digest: string;
  /** The process that stands in line. */
  readonly process: ProcessMark;
  /** The process that will hold the lock: mostly the same, else a process that waits to adopt it. */
  readonly holder: ProcessMark;
  readonly rules: JudgeRules;
  readonly auditor: Auditor;
  /** The run that the lock is to belong to; null: it belongs to the process that holds it. */
  readonly run: Run | null;
  /** The beats in line as they were seen while the lock was free. */
  readonly turns: Observations;
  /** Monotonic milliseconds at which it began to wait; if it joined the line early, at which it got ready. */
  started: number;
  /** False: it stands in line, and takes nothing. */
  isReady: boolean;
  /** False: it claims once, without a ticket. */
  mayWait: boolean;
  ticket: Placed | null;
}

/** A ticket of this claim, in the line. */
interface Placed {
  readonly path: string;
  readonly name: string;
  readonly descriptor: Descriptor;
  content: Ticket;
}

/** A waiter that is served before this claim and, as far as can be known, lives. */
export interface Ahead {
  readonly name: string;
  readonly path: string;
  readonly inode: string;
  readonly process: ProcessMark;
  readonly alive: boolean | null;
  readonly slots: number;
  readonly resources: readonly string[] | null;
  readonly weight: number;
  readonly beat: number;
  /** Monotonic milliseconds before its ticket was read: later it may have beaten again. */
  readonly before: number;
  readonly deadAfter: number;
  readonly reviewAt: number | null;
}

export interface Line {
  /** Everybody else's ticket, in order of arrival; those that were found dead are left out. */
  readonly others: readonly Standing[];
  /** The claim that is served next; null if that is (or would be) this claim. */
  readonly first: Ahead | null;
  /** The claim whose end this one waits for; see `watched`. */
  readonly ahead: Ahead | null;
  /** The fence file, if the first may change when somebody is passed. */
  readonly passes: Watch["files"];
  /** A living claim in line, with which a newcomer has to agree. */
  readonly witness: Pick<Ahead, "slots" | "resources"> | null;
  /** When a claim that is not ready may turn out to be dead. */
  readonly reviewAt: number | null;
}

/** The line of a claim that stands in it alone. */
const NOBODY: Line = {
  others: [],
  first: null,
  ahead: null,
  passes: [],
  witness: null,
  reviewAt: null,
};

/**
 * Finds how this claim stands, from the tickets' names alone. Only tickets that matter to it are read, and
 * removed if they are dead: the one that is served next, so that the claim learns whether that is itself; the
 * one whose end wakes it; and of those that are not ready, for which nobody waits, the one before it. So a turn
 * costs the same however long the line.
 */
export function* findPlace(claim: Claim, names: readonly string[]): Steps<Line> {
  if (claim.ticket !== null && !names.includes(claim.ticket.name)) {
    yield* checkSuperseded(claim, claim.ticket.path);
    // Another process judged this claim dead, or passed it over while it stood still. It joins again, at the
    // end.
    yield* forgetTicket(claim);
  }
  if (names.length === (claim.ticket === null ? 0 : 1)) return NOBODY;
  const line = new Contenders(claim, names);
  const idle = yield* line.living(line.before(({ ready }) => !ready));
  const reviewAt = idle?.reviewAt ?? null;
  const known = { ...NOBODY, reviewAt };
  if (!claim.isReady) {
    const witness = idle ?? (claim.ticket === null ? yield* line.living(line.before()) : null);
    return { ...known, others: line.others, witness };
  }
  const memory = line.isMixed ? yield* recall(claim.place) : null;
  const first = yield* line.firstLiving(memory);
  if (first === null) {
    const isNew = claim.ticket === null && idle === null;
    const witness = isNew ? yield* line.living(line.before()) : idle;
    return { ...known, others: line.others, witness };
  }
  const own = yield* line.living(
    line.before(({ ready, priority }) => ready && priority === claim.priority),
    first,
  );
  const passes =
    memory === null || own !== null ? [] : [{ path: claim.place.fence, inode: memory.inode }];
  return { passes, first, ahead: own ?? first, others: line.others, witness: first, reviewAt };
}

/** The claims in line, this one among them. The others are found dead one by one. */
class Contenders {
  readonly #claim: Claim;
  readonly #own: Standing;
  readonly #line: Standing[];

  constructor(claim: Claim, names: readonly string[]) {
    this.#claim = claim;
    this.#own = ownStanding(claim);
    const { ticket } = claim;
    this.#line = names.map((name) => (name === ticket?.name ? this.#own : standingOf(name)));
    if (ticket === null) this.#line.push(this.#own);
  }

  get others(): readonly Standing[] {
    return this.#line.filter((standing) => standing !== this.#own);
  }

  /** Whether somebody has another priority: then it counts who was passed. */
  get isMixed(): boolean {
    return this.#line.some(({ priority }) => priority !== this.#own.priority);
  }

  /** Those that came before this claim, the nearest first. */
  before(which: (standing: Standing) => boolean = () => true): Standing[] {
    return this.#line.slice(0, this.#line.indexOf(this.#own)).filter(which).reverse();
  }

  /** The first of these that lives. The dead before it are removed. `known`: one that is known to live. */
  *living(these: readonly Standing[], known?: Ahead): Steps<Ahead | null> {
    for (const standing of these) {
      if (standing.name === known?.name) return known;
      const found = yield* this.#examine(standing);
      if (found !== null) return found;
    }
    return null;
  }

  /** The claim that is served next; null: this claim. `memory`: of who was passed, if that counts. */
  *firstLiving(memory: Memory | null): Steps<Ahead | null> {
    const passed = new Map<Standing, number>();
    if (memory !== null) for (const each of this.#line) passed.set(each, passedOf(memory, each));
    for (;;) {
      const line = this.#line.map((each) => ({ ...each, each, passed: passed.get(each) ?? 0 }));
      const next = nextServed(line)?.each;
      if (next === undefined || next === this.#own) return null;
      const found = yield* this.#examine(next);
      if (found !== null) return found;
    }
  }

  *#examine(standing: Standing): Steps<Ahead | null> {
    const path = join(this.#claim.place.side, standing.name);
    const found = yield* examineTicket(path, this.#claim.observations);
    if (found !== null && !found.dead && found.ticket !== null)
      return aheadOf(found, found.ticket, standing);
    if (found !== null) yield* step("remove", path);
    this.#line.splice(this.#line.indexOf(standing), 1);
    return null;
  }
}

/** How a claim stands itself; one without a ticket comes last. */
export function ownStanding({ ticket, weight, priority, isReady }: Claim): Standing {
  if (ticket !== null) return standingOf(ticket.name);
  const number = Number.POSITIVE_INFINITY;
  return { name: "", number, weight, priority, ready: isReady, readyAt: 0 };
}

/**
 * Notes the beats of all that may come before this claim, if only silence tells who is dead. They are silent at
 * the same time: so one silence is waited for, and not one after the other.
 */
export function* watchLine(claim: Claim, { others, first }: Line): Steps<void> {
  const { number } = ownStanding(claim);
  for (const standing of others) {
    const isBefore = standing.number < number || standing.priority > claim.priority;
    if (!standing.ready || !isBefore || standing.name === first?.name) continue;
    const found = yield* examineTicket(join(claim.place.side, standing.name), claim.observations);
    if (found?.ticket == null || found.alive !== true) continue;
    noteTurn(claim, aheadOf(found, found.ticket, standing), yield* step("monotonic"));
  }
}

/** Since when a waiter's beat has been the same, while the lock is free. */
export function noteTurn({ turns }: Claim, waiter: Ahead, monotonic: number): number {
  return turns.note(`${waiter.path} ${waiter.inode}`, String(waiter.beat), monotonic);
}

function aheadOf(found: ExaminedTicket, ticket: Ticket, { name, weight }: Standing): Ahead {
  const { path, inode, before, alive, reviewAt, deadAfter } = found;
  const { process, slots, resources = null, beat } = ticket;
  const known = { name, weight, path, inode, before, alive, reviewAt, deadAfter };
  return { ...known, process, slots, resources, beat };
}

/** Removes a waiter that did not take its turn. When it wakes it finds its ticket gone, and joins again. */
export function* passOver(claim: Claim, { others }: Line, waiter: Ahead): Steps<Line> {
  yield* step("remove", waiter.path);
  const names = others.flatMap(({ name }) => (name === waiter.name ? [] : name));
  const own = claim.ticket === null ? [] : [claim.ticket.name];
  return yield* findPlace(claim, [...names, ...own].sort());
}

/**
 * Asks whether the claim may take the lock by now. It gets ready in one step: its ticket gets another name, at
 * the same place in line. Gives back the names in the side directory after that. Under the guard.
 */
export function* askReadiness(claim: Claim, names: readonly string[]): Steps<readonly string[]> {
  const { isReady, mayWait } = yield* step("term");
  if (!isReady) return names;
  claim.isReady = true;
  claim.mayWait = mayWait;
  claim.started = yield* step("monotonic");
  const { ticket } = claim;
  if (ticket === null) return names;
  const name = readyName(ticket.name, (yield* recall(claim.place)).fence ?? 0);
  const path = join(claim.place.side, name);
  if (!(yield* step("rename", ticket.path, path))) return names;
  claim.ticket = { ...ticket, name, path };
  return names.map((each) => (each === ticket.name ? name : each));
}

/**
 * Joins the line at its end with a ticket, unless this claim has one. Under the guard. `side` are the
 * names in the side directory.
 */
export function* joinLine(claim: Claim, side: readonly string[]): Steps<void> {
  if (claim.ticket !== null) return;
  yield* checkNewer(claim, side);
  const since = yield* step("now");
  const how = { weight: claim.weight, priority: claim.priority, ready: claim.isReady };
  const name = nextTicketName(lineOf(side), since, yield* step("random"), how);
  const path = join(claim.place.side, name);
  const content: Ticket = {
    owner: claim.owner.id,
    note: claim.note,
    metadata: claim.owner.metadata,
    slots: claim.slots,
    ...(claim.resources === null ? {} : { resources: claim.resources }),
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
