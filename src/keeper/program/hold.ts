import { existsSync } from "node:fs";
import { messageOf } from "../../lock/errors.ts";
import type { Holding, ReleaseOutcome } from "../../lock/store.ts";
import { TIMER_LIMIT_MS } from "../../lock/time.ts";
import { openProcesses } from "../../machine/processes.ts";
import { type LeaseFile, removeLeaseFile, writeLeaseFile } from "../lease-file.ts";
import type { Past } from "../past.ts";
import type { Message, Order } from "../protocol.ts";
import { type KeeperSocket, removeSocket, serveSocket, socketPath } from "../socket.ts";
import type { KeeperLog } from "./log.ts";
import { stopSignals } from "./signals.ts";
import type { ListenedStarter } from "./starter.ts";
import type { WatchedJob } from "./watch-job.ts";

/** A detached lock is let go at this part of its ttl, before its holder would have to count it as lost. */
const BOUND_AT = 0.9;
/** By then a short job is over: reading the past ahead would only be in its way. */
const READ_AHEAD_MS = 200;

/** How the keeper's life ends. */
type End =
  | { readonly why: "asked" | "watched-gone" | "forgotten" | "told" | "bound" | "unacknowledged" }
  | { readonly why: "lost"; readonly reason: string };

/**
 * In a container job there is nobody to watch. But a runner empties the job's temporary directory
 * before the next job: whoever finds its lease gone there belongs to no job any more, and could not
 * be asked to let go either.
 */
const FORGOTTEN: End = { why: "forgotten" };
const LOOK_MS = 1_000;

/** A lock that this process holds, and those who have to do with it. Each is called once. */
export interface Kept {
  readonly holding: Holding;
  readonly tell: (message: Message) => void;
  readonly listen: () => ListenedStarter;
  readonly job: () => WatchedJob;
  /** The past, where the starter does not tell it: read ahead, so that nobody waits for it in the end. */
  readonly past?: Past;
}

/** Holds a lock until its life ends: tells the starter, answers, watches, lets go. */
export async function hold(order: Order, log: KeeperLog, kept: Kept): Promise<void> {
  const { holding } = kept;
  const { promise: ending, resolve: end } = Promise.withResolvers<End>();
  const { promise: released, resolve: tellReleased } = Promise.withResolvers<
    ReleaseOutcome | "failed"
  >();
  let socket: KeeperSocket | null = null;
  let lease: LeaseFile | null = null;
  let ended: End | null = null;
  let job: WatchedJob | null = null;
  const timers: NodeJS.Timeout[] = [];
  const path = socketPath(order.leaseFile);
  try {
    holding.lost.addEventListener("abort", () =>
      end({ why: "lost", reason: messageOf(holding.lost.reason) }),
    );
    lease = leaseOf(order, holding, path);
    writeLeaseFile(order.leaseFile, lease);
    kept.tell({ event: "granted" });

    // Whoever waits for that word does not wait for what follows; whoever asks before the socket is
    // there tries again.
    stopSignals().addEventListener("abort", () => end({ why: "told" }));
    const starter = kept.listen();
    const past = kept.past ?? starter.past;
    job = kept.job();
    const onJobGone = () => end({ why: "watched-gone" });
    if (job.gone.aborted) onJobGone();
    else job.gone.addEventListener("abort", onJobGone);
    const answer = async (request: Record<string, unknown>) => {
      if (request.token !== holding.lease.token) return { error: "wrong token" };
      if (request.op === "status") return { state: holding.lost.aborted ? "lost" : "held" };
      if (request.op !== "release") return { error: "unknown request" };
      end({ why: "asked" });
      const outcome = await released;
      const wanted = request.history === true && outcome === "released";
      return wanted ? { outcome, holds: await past() } : { outcome };
    };
    // A lock is held all the same: whoever cannot ask the keeper lets go without it.
    socket = await serveSocket(path, answer).catch((error: unknown) => {
      log.write(`cannot be asked: ${messageOf(error)}`);
      return null;
    });
    const { key, store, owner, fence } = holding.lease;
    log.write(`holds ${JSON.stringify(key)} in ${store} as ${owner}, fence ${fence}`);
    if (!(await starter.acknowledged)) end({ why: "unacknowledged" });
    starter.close();
    if (kept.past !== undefined) timers.push(setTimeout(kept.past, READ_AHEAD_MS));
    if (order.request.refresh === false) {
      // The ttl runs from the grant, which the starter may have got while this process was starting.
      const age = order.claimedBy === "starter" ? Date.now() - Date.parse(holding.lease.since) : 0;
      const left = holding.lease.ttl * 1_000 * BOUND_AT - Math.max(0, age);
      const bound = Math.max(0, Math.min(left, TIMER_LIMIT_MS));
      timers.push(setTimeout(() => end({ why: "bound" }), bound));
    }
    if (order.watched === null && order.request.refresh !== false) {
      timers.push(setInterval(() => !existsSync(order.leaseFile) && end(FORGOTTEN), LOOK_MS));
    }
    ended = await ending;
  } finally {
    for (const timer of timers) clearTimeout(timer);
    job?.close();
    const outcome = await letGo(order, holding, lease, ended, log).catch(() => "failed" as const);
    // Before the answer: whoever gets it may sweep this process away at once, and nothing must be left.
    removeSocket(path);
    tellReleased(outcome);
    // Then the answer goes out first; the process stays until it is written.
    if (ended?.why === "asked") await new Promise(setImmediate);
    socket?.close();
  }
}

function leaseOf(order: Order, holding: Holding, socket: string): LeaseFile {
  const { watched, job, storeOptions } = order;
  const { self: keeper } = openProcesses({ sharedFilesystem: false });
  return {
    ...holding.lease,
    version: 1,
    state: "held",
    keeper,
    watched,
    job,
    socket,
    storeOptions,
  };
}

/** Lets go, and leaves the lease file behind only where it has a loss to tell. */
async function letGo(
  order: Order,
  holding: Holding,
  lease: LeaseFile | null,
  ended: End | null,
  log: KeeperLog,
): Promise<ReleaseOutcome> {
  if (ended?.why === "lost" && lease !== null) {
    log.write(ended.reason);
    const lost = { at: new Date().toISOString(), reason: ended.reason };
    writeLeaseFile(order.leaseFile, { ...lease, state: "lost", lost });
    return "already-gone";
  }
  // Whoever asked knows why, and nothing of the log is left when that went well.
  if (ended?.why !== "asked") log.write(`lets go: ${ended?.why ?? "failed"}`);
  const outcome = await holding.release().catch((error: unknown) => {
    log.write(`could not let go: ${messageOf(error)}`);
    throw error;
  });
  // Told to stop in the middle of a job: the lock is free, and the job has to learn of that.
  const early = ended?.why === "told" ? "its keeper was told to stop" : null;
  const gone =
    outcome === "already-gone" ? messageOf(holding.lost.reason ?? "its lock was gone") : null;
  const reason = gone ?? early;
  if (reason !== null && lease !== null) {
    const lost = { at: new Date().toISOString(), reason };
    writeLeaseFile(order.leaseFile, { ...lease, state: "lost", lost });
    return outcome;
  }
  removeLeaseFile(order.leaseFile);
  return outcome;
}
