import { isLockError, messageOf } from "../../lock/errors.ts";
import type { Holding, Lease, ReleaseOutcome } from "../../lock/store.ts";
import { Alarm } from "../../lock/time.ts";
import type { SeveralHolding } from "../../stores/several.ts";
import type { Message, Past, Task } from "../protocol.ts";
import type { KeeperLog } from "./log.ts";
import type { KeptPlace } from "./place.ts";
import { PublishedLease } from "./published-lease.ts";
import { stopSignals } from "./signals.ts";
import type { ListenedStarter } from "./starter.ts";
import type { WatchedJob } from "./watch-job.ts";

/** A detached lock is released at this part of its ttl, before it would count as lost. */
const BOUND_AT = 0.9;
/** When the history is read: late, since reading it would delay a short job. */
const READ_AHEAD_MS = 200;

/** Why a keeper ends. */
type End =
  | { readonly why: "asked" | "told" | "bound" | "unacknowledged" }
  | { readonly why: "job-gone" | "lost"; readonly reason: string };

/** A lock that this process holds, or several, and the processes around it. */
export interface Kept {
  readonly holding: Holding & Partial<Pick<SeveralHolding, "leases">>;
  readonly tell: (message: Message) => void;
  readonly starter: ListenedStarter;
  readonly job: WatchedJob;
  /** The key's latest holds. Read ahead, so that post does not wait for them. */
  readonly past: Past;
  /** Asks the store whether the lease still holds. */
  readonly verify: () => Promise<boolean>;
  /** The place in line that the claim had: its file and socket are kept. */
  readonly place?: KeptPlace;
}

/** Holds a lock until there is a reason to end: tells the starter, answers, watches, releases. */
export async function hold(task: Task, log: KeeperLog, kept: Kept): Promise<void> {
  const { holding, starter, job, past } = kept;
  const { promise: ending, resolve: end } = Promise.withResolvers<End>();
  const { promise: released, resolve: tellReleased } = Promise.withResolvers<
    ReleaseOutcome | "failed"
  >();
  const [, ...also] = holding.leases ?? [];
  const leases = [holding.lease, ...also] as const;
  const published = kept.place?.published ?? new PublishedLease(task, leases, log);
  published.hold(leases);
  let ended: End | null = null;
  let bound: Alarm | null = null;
  let readsAhead: NodeJS.Timeout | undefined;
  try {
    const onLost = () => {
      const reason = messageOf(holding.lost.reason);
      if (also.length === 0) return end({ why: "lost", reason });
      // The job goes on, and the other keys still keep others out.
      log.write(reason);
      published.tellLoss(reason);
    };
    holding.lost.addEventListener("abort", onLost);
    published.write();
    kept.place?.held();
    if (holding.lost.aborted) onLost();
    // The starter need not wait for what follows: a release that comes before the socket is there retries.
    kept.tell({ event: "granted" });

    stopSignals().addEventListener("abort", () => end({ why: "told" }));
    const onJobGone = () => end({ why: "job-gone", reason: String(job.gone.reason) });
    if (job.gone.aborted) onJobGone();
    else job.gone.addEventListener("abort", onJobGone);
    await published.serve(async (request) => {
      if (request.token !== holding.lease.token) return { error: "wrong token" };
      if (request.op === "status") return { state: holding.lost.aborted ? "lost" : "held" };
      if (request.op === "verify") return verified(kept);
      if (request.op !== "release") return { error: "unknown request" };
      end({ why: "asked" });
      const outcome = await released;
      const wanted = request.history === true && outcome === "released";
      return wanted ? { outcome, holds: await past() } : { outcome };
    });
    for (const { key, store, owner, fence } of [holding.lease, ...also])
      log.write(`holds ${JSON.stringify(key)} in ${store} as ${owner}, fence ${fence}`);
    if (!(await starter.acknowledged)) end({ why: "unacknowledged" });
    starter.close();
    readsAhead = setTimeout(past, READ_AHEAD_MS);
    if (task.request.refresh === false) {
      bound = new Alarm(timeToBound(task, holding.lease), () => end({ why: "bound" }));
    } else {
      published.watch(job, () => end({ why: "job-gone", reason: "its lease file is gone" }));
    }
    ended = await ending;
  } finally {
    bound?.cancel();
    clearTimeout(readsAhead);
    published.rest();
    starter.close();
    job.close();
    const outcome = await release(holding, published, ended, log).catch(() => "failed" as const);
    // Before the answer: the process that gets the answer may kill this one at once, and nothing must be left.
    published.removeSocket();
    tellReleased(outcome);
    // The answer goes out first: this process stays until it is written.
    if (ended?.why === "asked") await new Promise(setImmediate);
    published.close();
  }
}

/** What the store says about the lease. If it refuses, the process that asked gets the reason. */
async function verified({ verify }: Kept): Promise<Record<string, unknown>> {
  try {
    return { held: await verify() };
  } catch (error) {
    if (!isLockError(error, "STORE_REFUSED")) throw error;
    return { refused: error.message };
  }
}

/**
 * Milliseconds until a detached lock is released. The ttl runs from the grant, which the starter may
 * have got while this process was starting. A server's `since` is of another clock.
 */
function timeToBound({ claimedBy }: Task, { ttl, since }: Lease): number {
  const bound = ttl * 1_000 * BOUND_AT;
  const held = claimedBy === "starter" ? Date.now() - Date.parse(since) : 0;
  // The wall clock may have jumped.
  return held < 0 || held > bound ? bound : bound - held;
}

/** Releases the lock, and leaves the lease file behind only where it has a loss to tell. */
async function release(
  holding: Holding,
  published: PublishedLease,
  ended: End | null,
  log: KeeperLog,
): Promise<ReleaseOutcome> {
  if (ended?.why === "lost") {
    log.write(ended.reason);
    published.tellLoss(ended.reason);
    return "already-gone";
  }
  // A process that asked for the release knows why, and removes the log if all went well.
  if (ended?.why !== "asked") log.write(`releases: ${reasonOf(ended)}`);
  const outcome = await holding.release().catch((error: unknown) => {
    log.write(`could not release: ${messageOf(error)}`);
    throw error;
  });
  if (outcome === "already-gone") {
    published.tellLoss(messageOf(holding.lost.reason ?? "its lock was gone"));
  } else if (ended?.why === "told") {
    // In the middle of a job: the lock is free, and the job has to learn of that.
    published.tellLoss("its keeper was told to stop");
  } else {
    published.remove();
  }
  return outcome;
}

function reasonOf(ended: End | null): string {
  if (ended === null) return "failed";
  return "reason" in ended ? ended.reason : ended.why;
}
