import type { LockError } from "../../lock/errors.ts";
import { whoIs } from "../../lock/people/who.ts";
import type { CheckedRequest } from "../../lock/request.ts";
import { resourcesOf } from "../../lock/resources.ts";
import { type KeyStatus, stoppedProcess } from "../../lock/status.ts";
import type { ClaimOptions, Lease, Progress } from "../../lock/store.ts";
import { sha256 } from "../../lock/text.ts";
import { Term } from "../../lock/time.ts";
import type { ProcessMark } from "../../machine/processes.ts";
import { randomHex } from "../../machine/random.ts";
import { live } from "../lifecycle.ts";
import { describeHolders, notAcquired } from "../sentences.ts";
import { record as audit } from "./audit/entry.ts";
import type { Place } from "./disk/place.ts";
import type { RealWorld } from "./disk/world.ts";
import { slotsOf } from "./format/record.ts";
import { writeTicket } from "./format/ticket.ts";
import type { FileHolder } from "./holder.ts";
import { claimSteps } from "./protocol/claim.ts";
import { Observations, TICKET_SILENCE_LIMIT_MS } from "./protocol/examine.ts";
import { inspectSteps } from "./protocol/inspect.ts";
import type { Claim } from "./protocol/line.ts";
import type { Grant } from "./protocol/take.ts";
import type { Site } from "./site.ts";

/** How often a waiting claim looks who holds and who is ahead, for its progress reports. */
const PROGRESS_MS = 1_000;
/** Heartbeats of a ticket within its dead-after: one may be late and one may fail. */
const BEATS_PER_DEAD_AFTER = 3;

/**
 * Stands in line for a key, from the first look to the grant: runs the claim's steps, beats its
 * ticket, reports its progress and ends it at its deadline. Throws TIMEOUT, ABORTED or SUPERSEDED,
 * once the claim has left the line.
 */
export async function waitInLine(
  place: Place,
  request: CheckedRequest,
  options: ClaimOptions,
  site: Site,
  files: FileHolder,
  holder: ProcessMark,
): Promise<{ lease: Lease; grant: Grant }> {
  const term = new Term(options, options.signal);
  const token = randomHex(16);
  const reports = new Reports(options.onProgress);
  const world = files.open(place, {
    cancel: term.signal,
    onStuck: (trouble) => reports.stuck(trouble),
    onWait: () => reports.start(),
    term,
  });
  const claim: Claim = {
    place,
    owner: request.owner,
    note: request.note,
    slots: request.slots,
    resources: request.resources,
    weight: request.weight,
    priority: request.priority,
    ttl: request.ttl / 1_000,
    deadAfter: request.deadAfter,
    format: site.options.format ?? "sema",
    allowed: request.reclaim,
    digest: sha256(token),
    process: site.processes.self,
    holder,
    rules: site.rules(),
    auditor: files.auditor(holder.pid),
    observations: new Observations(),
    turns: new Observations(),
    newest: request.line === "newest",
    arrived: null,
    run: request.run,
    started: world.monotonic(),
    isReady: term.isReady,
    mayWait: term.mayWait,
    ticket: null,
  };
  const look = () => world.run(inspectSteps(place, site.url, claim.rules));
  reports.of(claim, world, look);

  return live(term, {
    stand: () => world.run(claimSteps(claim)),
    hold(grant) {
      const shares = grant.record.digest !== claim.digest;
      const at = shares ? world.monotonic() : grant.record.refreshedMonotonic;
      return { lease: leaseOf(grant, claim, site.url, token, at), grant };
    },
    end: () => reports.end(),
    whyNot: async (limit) => timedOut(claim, world, await look(), limit, reports.trouble),
  });
}

/** `at`: when it was granted, by the monotonic clock. What is shared was acquired before. */
function leaseOf({ record }: Grant, claim: Claim, store: string, token: string, at: number): Lease {
  const since = new Date(record.acquired).toISOString();
  const waited = Math.max(0, Math.round(at - claim.started));
  const { key, fence, slot, ttl } = record;
  const slots = slotsOf(record);
  const held = { slot, slots, resources: resourcesOf(record.resources ?? null, slots) };
  return { key, store, owner: claim.owner.id, fence, ...held, since, ttl, waited, token };
}

async function timedOut(
  claim: Claim,
  world: RealWorld,
  status: KeyStatus,
  limit: number,
  trouble: string | null,
): Promise<LockError> {
  const { place } = claim;
  const details = {
    key: place.key,
    owner: claim.owner.id,
    waited: Math.round(world.monotonic() - claim.started),
    heldBy: status.holders.map((holder) => holder.owner),
  };
  await world.run(audit(place, claim.auditor, "timeout", place.lock, details)).catch(() => {});
  return notAcquired(place.key, limit, trouble ?? describeHolders(status, Date.now()));
}

/** The signs of life of a claim that waits: its ticket's heartbeat, and its progress for the caller. */
class Reports {
  readonly #onProgress: ClaimOptions["onProgress"];
  readonly #timers: NodeJS.Timeout[] = [];
  #waiting: { claim: Claim; world: RealWorld; look: () => Promise<KeyStatus> } | null = null;
  /** Why waiting takes unusually long, in words. */
  trouble: string | null = null;

  constructor(onProgress: ClaimOptions["onProgress"]) {
    this.#onProgress = onProgress;
  }

  of(claim: Claim, world: RealWorld, look: () => Promise<KeyStatus>): void {
    this.#waiting = { claim, world, look };
  }

  /** Begins with the first wait: most claims get their lock at once and need none of this. */
  start(): void {
    if (this.#waiting === null || this.#timers.length > 0) return;
    const { claim, world } = this.#waiting;
    const every = Math.min(claim.deadAfter, TICKET_SILENCE_LIMIT_MS) / BEATS_PER_DEAD_AFTER;
    this.#timers.push(setInterval(() => beatTicket(world, claim), every));
    if (this.#onProgress === undefined) return;
    this.#report();
    this.#timers.push(setInterval(() => this.#report(), PROGRESS_MS));
  }

  /** The guard may be stuck from the first moment on, before there was anything to wait for. */
  stuck(trouble: string | null): void {
    this.trouble = trouble;
    if (this.#timers.length === 0) this.start();
    else this.#report();
  }

  end(): void {
    for (const timer of this.#timers) clearInterval(timer);
  }

  #report(): void {
    const onProgress = this.#onProgress;
    if (this.#waiting === null || onProgress === undefined) return;
    const { claim, look } = this.#waiting;
    look().then(
      (status) => onProgress(progressOf(status, claim, this.trouble)),
      // A look that fails is made again a second later; the claim itself says what is wrong.
      () => {},
    );
  }
}

/**
 * Beats the ticket. Other waiters judge by it: on another machine always, on this one once this claim's turn has
 * come.
 */
function beatTicket(world: RealWorld, claim: Claim): void {
  if (claim.ticket === null) return;
  claim.ticket.content = { ...claim.ticket.content, beat: claim.ticket.content.beat + 1 };
  try {
    world.overwrite(claim.ticket.descriptor, writeTicket(claim.ticket.content));
  } catch {
    // A full disk or a network's hiccup: the next beat may pass, and dead-after is three times as long.
  }
}

function progressOf(status: KeyStatus, claim: Claim, trouble: string | null): Progress {
  const since = claim.ticket === null ? null : new Date(claim.ticket.content.since).toISOString();
  const mine = status.waiters.findIndex(
    (waiter) => waiter.owner === claim.owner.id && waiter.since === since,
  );
  const position = mine === -1 ? status.waiting + 1 : mine + 1;
  const { waiting, holders, waiters, frozen } = status;
  const ahead = waiters
    .slice(0, position - 1)
    .map(({ owner, metadata, weight, ready }) => ({ owner, metadata, weight, ready }));
  const frozenSlots = status.frozenSlots.filter(({ slot }) => slot < status.slots);
  const progress = { position, waiting, holders, ahead, frozen, frozenSlots };
  const why = trouble ?? stoppedInTheWay(status, position, claim.place.key);
  return why === null ? progress : { ...progress, trouble: why };
}

/** Tells of a stopped process that keeps a claim waiting: it will not go on by itself. */
function stoppedInTheWay(status: KeyStatus, position: number, key: string): string | null {
  const holder = status.holders.find(({ stopped }) => stopped);
  if (holder !== undefined) {
    const pid = stoppedProcess(holder);
    return `its holder ${whoIs(holder)} is stopped (process ${pid}): continue it with kill -CONT ${pid}, or see holdfast status ${JSON.stringify(key)}`;
  }
  const waiter = status.waiters.slice(0, position - 1).find(({ stopped }) => stopped);
  if (waiter === undefined) return null;
  return `${whoIs(waiter)}, which is ahead, is stopped: it is passed over if it does not take its turn`;
}
