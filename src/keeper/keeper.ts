import { writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { isLockError, LockError, messageOf } from "../lock/errors.ts";
import type { Hold } from "../lock/history.ts";
import { historyOf, type ReadHistory } from "../lock/read-history.ts";
import type { Holding, ReleaseOutcome, Store } from "../lock/store.ts";
import { openProcesses } from "../stores/file/processes.ts";
import { openHolder, openStore, preload } from "../stores/open.ts";
import { LazyForecast } from "./lazy-forecast.ts";
import { type LeaseFile, removeLeaseFile, writeLeaseFile } from "./lease-file.ts";
import { type KeeperLog, openLog } from "./log.ts";
import type { Order } from "./order.ts";
import { type KeeperSocket, serveSocket } from "./socket.ts";
import { listenToStarter, type Starter } from "./starter.ts";
import { tidyUpAfter } from "./tidy-up.ts";
import { type WatchedJob, watchJob } from "./watch-job.ts";

/** A detached lock is let go at this part of its ttl, before its holder would have to count it as lost. */
const BOUND_AT = 0.9;
const RECALL_MS = 500;
const RECALL_AFTER_MS = 200;
/** As many holds as a report makes use of. */
const RECALL_LIMIT = 20;

/** How the keeper's life ends. */
type End =
  | { readonly why: "asked" | "watched-gone" | "told" | "bound" | "unacknowledged" }
  | { readonly why: "lost"; readonly reason: string };

/** The whole life of a keeper: claim or adopt, tell, hold, watch, let go. */
export async function keep(): Promise<void> {
  const starter = listenToStarter();
  preload(process.argv[2] ?? "");
  const order = await starter.order;
  // Its starter found that there is nothing to claim, or ended.
  if (order === null) return;
  const log = openLog(order.leaseFile);
  const what = `${JSON.stringify(order.request.key)} in ${order.store} as ${order.request.owner.id}`;
  let kept: Kept | null = null;
  try {
    if (order.claimedBy === "keeper") log.write(`claims ${what}`);
    kept = order.claimedBy === "keeper" ? await claim(order, starter) : await adopt(order, starter);
    if (kept === null) return await tidyUpAfter(starter, order);
    log.write(`holds ${what}, fence ${kept.holding.lease.fence}`);
    await hold(order, kept, starter, log, recall(order.history ? kept.history : null));
  } catch (error) {
    const known = isLockError(error)
      ? error
      : new LockError("INTERNAL", messageOf(error), { cause: error });
    log.write(`failed: ${known.code} ${known.message}`);
    starter.tell({ event: "failed", code: known.code, message: known.message });
    // Whoever started it knows now; nobody else can, so nothing is left behind.
    removeLeaseFile(order.leaseFile);
  } finally {
    kept?.job.close();
    starter.close();
    await kept?.store.close();
  }
}

/** A lock that this process holds, where it lives, and the job that it is held for. */
interface Kept {
  readonly holding: Holding;
  readonly store: Pick<Store, "close">;
  readonly history: ReadHistory | null;
  readonly job: WatchedJob;
}

/** Takes over what its starter claims; null where the starter ended before it had it. */
async function adopt(order: Order, starter: Starter): Promise<Kept | null> {
  const store = await openHolder(order.store, order.storeOptions);
  const lease = await starter.lease;
  if (lease === null) return null;
  const holding = await store.adopt(lease, order.request);
  const history = historyOf(store, lease.key, RECALL_LIMIT);
  return { holding, store, history, job: watchJob(order.watched) };
}

/** Stands in line itself: for a store that knows a holder by its connection. */
async function claim(order: Order, starter: Starter): Promise<Kept> {
  const { request, timeout } = order;
  const job = watchJob(order.watched);
  const store = await openStore(order.store, order.storeOptions);
  const forecast = new LazyForecast(store, order, (progress) =>
    starter.tell({ event: "progress", progress }),
  );
  try {
    const signal = AbortSignal.any([starter.gone, job.gone, stopSignals()]);
    const holding = await store.claim(request, { timeout, signal, onProgress: forecast.update });
    const history = historyOf(store, holding.lease.key, RECALL_LIMIT);
    return { holding, store, history, job };
  } catch (error) {
    job.close();
    await store.close();
    throw error;
  } finally {
    forecast.end();
  }
}

async function hold(
  order: Order,
  { holding, job }: Kept,
  starter: Starter,
  log: KeeperLog,
  past: () => Promise<readonly Hold[]>,
): Promise<void> {
  const { promise: ending, resolve: end } = Promise.withResolvers<End>();
  const { promise: released, resolve: tellReleased } = Promise.withResolvers<
    ReleaseOutcome | "failed"
  >();
  let socket: KeeperSocket | null = null;
  let lease: LeaseFile | null = null;
  let ended: End | null = null;
  const timers: NodeJS.Timeout[] = [];
  try {
    socket = await serveSocket(order.leaseFile, async (request) => {
      if (request.token !== holding.lease.token) return { error: "wrong token" };
      if (request.op === "status") return { state: holding.lost.aborted ? "lost" : "held" };
      if (request.op !== "release") return { error: "unknown request" };
      end({ why: "asked" });
      const outcome = await released;
      const wanted = request.history === true && outcome === "released";
      return wanted ? { outcome, holds: await past() } : { outcome };
    });
    const processes = openProcesses({ sharedFilesystem: false });
    lease = {
      ...holding.lease,
      version: 1,
      state: "held",
      keeper: processes.self,
      watched: order.watched,
      job: order.job,
      socket: socket.path,
      storeOptions: order.storeOptions,
    };
    holding.lost.addEventListener("abort", () =>
      end({ why: "lost", reason: messageOf(holding.lost.reason) }),
    );
    stopSignals().addEventListener("abort", () => end({ why: "told" }));
    writeLeaseFile(order.leaseFile, lease);
    starter.tell({ event: "granted" });
    if (!(await starter.acknowledged)) end({ why: "unacknowledged" });
    starter.close();
    // At leisure now: whoever asks for it in the end need not wait.
    timers.push(setTimeout(past, RECALL_AFTER_MS));

    const onJobGone = () => end({ why: "watched-gone" });
    if (job.gone.aborted) onJobGone();
    else job.gone.addEventListener("abort", onJobGone);
    if (order.request.refresh === false) {
      timers.push(
        setTimeout(
          () => end({ why: "bound" }),
          Math.min(holding.lease.ttl * 1_000 * BOUND_AT, 2 ** 30),
        ),
      );
    }
    ended = await ending;
  } finally {
    for (const timer of timers) clearTimeout(timer);
    await letGo(order, holding, lease, ended, log).then(tellReleased, () => tellReleased("failed"));
    // The answer to the one who asked is on its way; the process stays until it is written.
    socket?.close();
  }
}

/** What a report shows of the past, read once. The lock is let go by then: a slow store is not waited for. */
function recall(history: ReadHistory | null): () => Promise<readonly Hold[]> {
  let read: Promise<readonly Hold[]> | null = null;
  return async () => {
    if (history === null) return [];
    read ??= history().catch(() => []);
    const late = delay(RECALL_MS, [], { ref: false });
    return Promise.race([read, late]);
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
  log.write(`lets go: ${ended?.why ?? "failed"}`);
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

let stopping: AbortController | null = null;

/** SIGTERM and SIGINT tell the keeper to stop; a closed terminal is not a reason to. */
function stopSignals(): AbortSignal {
  if (stopping !== null) return stopping.signal;
  const controller = new AbortController();
  stopping = controller;
  for (const name of ["SIGTERM", "SIGINT"] as const) process.on(name, () => controller.abort());
  process.on("SIGHUP", () => {});
  return controller.signal;
}

/**
 * The runner makes its children early victims when memory runs out. A keeper is small, and its end
 * would open the lock: it asks to be spared, where the system lets it.
 */
export function spareFromMemoryPressure(): void {
  try {
    writeFileSync("/proc/self/oom_score_adj", "0");
  } catch {
    // Only a privileged process may lower it.
  }
}
