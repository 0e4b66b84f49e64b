import { randomBytes } from "node:crypto";
import type { LockError } from "../../lock/errors.ts";
import type { CheckedRequest, LockFormat } from "../../lock/request.ts";
import type { ClaimOptions, KeyStatus, Lease, Progress } from "../../lock/store.ts";
import { sha256 } from "../../lock/text.ts";
import { Deadline, TIMER_LIMIT_MS } from "../../lock/time.ts";
import type { Processes, ProcessMark } from "../../machine/processes.ts";
import { aborted, describeHolders, notAcquired } from "../sentences.ts";
import { type Auditor, record as audit } from "./audit/entry.ts";
import type { Place } from "./disk/place.ts";
import type { RealWorld, RealWorldOptions } from "./disk/world.ts";
import { writeTicket } from "./format/ticket.ts";
import { type Claim, claimSteps, type Grant } from "./protocol/claim.ts";
import { inspectSteps } from "./protocol/inspect.ts";
import type { JudgeRules } from "./protocol/judge.ts";
import { Sightings } from "./protocol/sightings.ts";

/** How often a waiting claim looks who holds and who is ahead, for its progress reports. */
const PROGRESS_MS = 1_000;
const BEATS_PER_LEASE = 3;
/** A guard that stays busy keeps even those from an answer who do not want to wait for the lock. */
const IMPATIENT_GUARD_MS = 5_000;

export interface ClaimContext {
  readonly open: (options: Partial<RealWorldOptions>) => RealWorld;
  readonly store: string;
  readonly format: LockFormat;
  readonly rules: JudgeRules;
  readonly processes: Processes;
  readonly holder: ProcessMark;
  readonly auditor: Auditor;
}

/** Runs a claim from the first look to the grant, with its progress reports and its deadline. */
export async function takeTurn(
  place: Place,
  request: CheckedRequest,
  options: ClaimOptions,
  context: ClaimContext,
): Promise<{ lease: Lease; grant: Grant }> {
  const timeout = options.timeout ?? null;
  const deadline = new Deadline(timeout, options.signal);
  let trouble: string | null = null;
  const token = randomBytes(16).toString("hex");
  const world = context.open({
    cancel: deadline.signal,
    onStuck: (message) => {
      trouble = message;
      // It may be stuck from the first moment on, before there was anything to wait for.
      if (report === null) startReporting();
      else report();
    },
    onWait: () => startReporting(),
    ...(timeout === 0 ? { patience: IMPATIENT_GUARD_MS } : {}),
  });
  const claim: Claim = {
    place,
    owner: request.owner,
    note: request.note,
    slots: request.slots,
    ttl: request.ttl / 1_000,
    deadAfter: request.deadAfter,
    format: context.format,
    allowed: request.reclaim,
    digest: sha256(token),
    process: context.processes.self,
    holder: context.holder,
    rules: context.rules,
    auditor: context.auditor,
    sightings: new Sightings(),
    started: world.monotonic(),
    mayWait: timeout !== 0,
    ticket: null,
  };

  const timers: NodeJS.Timeout[] = [];
  let report: (() => void) | null = null;
  const startReporting = () => {
    if (timers.length > 0) return;
    timers.push(
      setInterval(
        () => beatTicket(world, claim),
        Math.min(claim.deadAfter / BEATS_PER_LEASE, TIMER_LIMIT_MS),
      ),
    );
    const { onProgress } = options;
    if (onProgress === undefined) return;
    report = () =>
      void world.run(inspectSteps(place, context.store, context.rules)).then(
        (status) => {
          onProgress(progressOf(status, claim, trouble));
        },
        () => {},
      );
    report();
    timers.push(setInterval(report, PROGRESS_MS));
  };

  try {
    if (options.signal?.aborted) throw aborted();
    const grant = await world.run(claimSteps(claim));
    if (grant === null)
      throw deadline.signal.aborted && !deadline.timedOut
        ? aborted()
        : await timedOut(timeout ?? 0);
    const { record } = grant;
    const since = new Date(record.acquired).toISOString();
    const waited = Math.round(record.refreshedMonotonic - claim.started);
    const { key, owner, fence, slot, ttl } = record;
    const lease = { key, store: context.store, owner, fence, slot, since, ttl, waited, token };
    return { lease, grant };
  } finally {
    deadline.clear();
    for (const timer of timers) clearInterval(timer);
  }

  async function timedOut(limit: number): Promise<LockError> {
    const status = await world.run(inspectSteps(place, context.store, context.rules));
    const waited = Math.round(world.monotonic() - claim.started);
    const details = {
      key: place.key,
      owner: request.owner.id,
      waited,
      heldBy: status.holders.map((holder) => holder.owner),
    };
    await world.run(audit(place, context.auditor, "timeout", place.lock, details)).catch(() => {});
    return notAcquired(place.key, limit, trouble ?? describeHolders(status, Date.now()));
  }
}

/** Only those elsewhere look at it: here the process itself is the sign of life. */
function beatTicket(world: RealWorld, claim: Claim): void {
  if (claim.ticket === null) return;
  claim.ticket.content = { ...claim.ticket.content, beat: claim.ticket.content.beat + 1 };
  try {
    world.overwrite(claim.ticket.descriptor, writeTicket(claim.ticket.content));
  } catch {
    // A full disk or a network's hiccup: the next one may pass, and the lease is three times as long.
  }
}

function progressOf(status: KeyStatus, claim: Claim, trouble: string | null): Progress {
  const since = claim.ticket === null ? null : new Date(claim.ticket.content.since).toISOString();
  const mine = status.waiters.findIndex(
    (waiter) => waiter.owner === claim.owner.id && waiter.since === since,
  );
  const position = mine === -1 ? status.waiting + 1 : mine + 1;
  const { waiting, holders, waiters } = status;
  const ahead = waiters.slice(0, position - 1).map(({ owner, metadata }) => ({ owner, metadata }));
  const progress = { position, waiting, holders, ahead };
  return trouble === null ? progress : { ...progress, trouble };
}
