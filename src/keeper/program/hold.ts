import { existsSync } from "node:fs";
import { messageOf } from "../../lock/errors.ts";
import type { Holding, Lease, ReleaseOutcome } from "../../lock/store.ts";
import { Alarm } from "../../lock/time.ts";
import { openProcesses } from "../../machine/processes.ts";
import { type LeaseFile, removeLeaseFile, writeLeaseFile } from "../lease-file.ts";
import type { Message, Past, Task } from "../protocol.ts";
import { type KeeperSocket, removeSocket, serveSocket, socketPath } from "../socket.ts";
import type { KeeperLog } from "./log.ts";
import { stopSignals } from "./signals.ts";
import type { ListenedStarter } from "./starter.ts";
import type { WatchedJob } from "./watch-job.ts";

/** A detached lock is released at this part of its ttl, before it would have to count as lost. */
const BOUND_AT = 0.9;
/** When the past is read. By then a short job is over, and reading would only be in its way. */
const READ_AHEAD_MS = 200;

/** Why a keeper ends. */
type End =
  | { readonly why: "asked" | "watched-gone" | "forgotten" | "told" | "bound" | "unacknowledged" }
  | { readonly why: "lost"; readonly reason: string };

/**
 * In a container job there is no process to watch. But a runner empties the job's temporary directory
 * before the next job: a keeper that finds its lease gone there belongs to no job any more, and could
 * not be asked to release either.
 */
const FORGOTTEN: End = { why: "forgotten" };
const LOOK_MS = 1_000;

/** A lock that this process holds, and the processes around it. */
export interface Kept {
  readonly holding: Holding;
  readonly tell: (message: Message) => void;
  readonly starter: ListenedStarter;
  readonly job: WatchedJob;
  /** The key's latest holds. Read ahead, so that nobody waits for them in the end. */
  readonly past: Past;
}

/** Holds a lock until there is a reason to end: tells the starter, answers, watches, releases. */
export async function hold(task: Task, log: KeeperLog, kept: Kept): Promise<void> {
  const { holding, starter, job, past } = kept;
  const { promise: ending, resolve: end } = Promise.withResolvers<End>();
  const { promise: released, resolve: tellReleased } = Promise.withResolvers<
    ReleaseOutcome | "failed"
  >();
  let socket: KeeperSocket | null = null;
  let lease: LeaseFile | null = null;
  let ended: End | null = null;
  let bound: Alarm | null = null;
  const timers: NodeJS.Timeout[] = [];
  const path = socketPath(task.leaseFile);
  try {
    holding.lost.addEventListener("abort", () =>
      end({ why: "lost", reason: messageOf(holding.lost.reason) }),
    );
    lease = leaseOf(task, holding, path);
    writeLeaseFile(task.leaseFile, lease);
    // The starter need not wait for what follows: a release that comes before the socket tries again.
    kept.tell({ event: "granted" });

    stopSignals().addEventListener("abort", () => end({ why: "told" }));
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
    // Without a socket the lock is held all the same, and is released without the keeper's help.
    socket = await serveSocket(path, answer).catch((error: unknown) => {
      log.write(`cannot be asked: ${messageOf(error)}`);
      return null;
    });
    const { key, store, owner, fence } = holding.lease;
    log.write(`holds ${JSON.stringify(key)} in ${store} as ${owner}, fence ${fence}`);
    if (!(await starter.acknowledged)) end({ why: "unacknowledged" });
    starter.close();
    timers.push(setTimeout(past, READ_AHEAD_MS));
    if (task.request.refresh === false) {
      bound = new Alarm(timeToBound(holding.lease), () => end({ why: "bound" }));
    }
    if (task.watched === null && task.request.refresh !== false) {
      timers.push(setInterval(() => !existsSync(task.leaseFile) && end(FORGOTTEN), LOOK_MS));
    }
    ended = await ending;
  } finally {
    bound?.cancel();
    for (const timer of timers) clearTimeout(timer);
    starter.close();
    job.close();
    const outcome = await release(task, holding, lease, ended, log).catch(() => "failed" as const);
    // Before the answer: the process that gets it may kill this one at once, and nothing must be left.
    removeSocket(path);
    tellReleased(outcome);
    // Then the answer goes out first; this process stays until it is written.
    if (ended?.why === "asked") await new Promise(setImmediate);
    socket?.close();
  }
}

/** Milliseconds until a detached lock is released. Its ttl runs since the claim, not since this process knows. */
function timeToBound({ ttl, since }: Lease): number {
  const bound = ttl * 1_000 * BOUND_AT;
  const held = Date.now() - Date.parse(since);
  // A wall clock that jumped is not to be believed.
  return held < 0 || held > bound ? bound : bound - held;
}

function leaseOf(task: Task, holding: Holding, socket: string): LeaseFile {
  const { watched, job, storeOptions } = task;
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

/** Releases the lock, and leaves the lease file behind only where it has a loss to tell. */
async function release(
  task: Task,
  holding: Holding,
  lease: LeaseFile | null,
  ended: End | null,
  log: KeeperLog,
): Promise<ReleaseOutcome> {
  const tellLoss = (reason: string) => {
    const lost = { at: new Date().toISOString(), reason };
    if (lease !== null) writeLeaseFile(task.leaseFile, { ...lease, state: "lost", lost });
  };
  if (ended?.why === "lost") {
    log.write(ended.reason);
    tellLoss(ended.reason);
    return "already-gone";
  }
  // A process that asked knows why, and the log is removed when that went well.
  if (ended?.why !== "asked") log.write(`releases: ${ended?.why ?? "failed"}`);
  const outcome = await holding.release().catch((error: unknown) => {
    log.write(`could not release: ${messageOf(error)}`);
    throw error;
  });
  if (outcome === "already-gone") {
    tellLoss(messageOf(holding.lost.reason ?? "its lock was gone"));
  } else if (ended?.why === "told") {
    // In the middle of a job: the lock is free, and the job has to learn of that.
    tellLoss("its keeper was told to stop");
  } else {
    removeLeaseFile(task.leaseFile);
  }
  return outcome;
}
