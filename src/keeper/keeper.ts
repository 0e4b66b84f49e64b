import { writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { isLockError, LockError, messageOf } from "../lock/errors.ts";
import { Forecast, historyOf, type ReadHistory } from "../lock/forecast.ts";
import type { Hold } from "../lock/history.ts";
import type { Holding, ReleaseOutcome, Store } from "../lock/store.ts";
import { openProcesses } from "../stores/file/processes.ts";
import type { ProcessMark } from "../stores/file/record.ts";
import { openStore, preload } from "../stores/open.ts";
import { type LeaseFile, removeLeaseFile, writeLeaseFile } from "./lease-file.ts";
import { type KeeperLog, openLog } from "./log.ts";
import type { Order } from "./order.ts";
import { type KeeperSocket, serveSocket } from "./socket.ts";
import { listenToStarter, type Starter } from "./starter.ts";

/** How soon the keeper notices that its job is gone; a look costs some 10 µs. */
const WATCH_MS = 1_000;
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

/** The whole life of a keeper: claim, tell, hold, watch, let go. */
export async function keep(): Promise<void> {
  const starter = listenToStarter();
  preload(process.argv[2] ?? "");
  const order = await starter.order.catch(() => null);
  // Its starter found that there is nothing to claim, or ended.
  if (order === null) return;
  const log = openLog(order.leaseFile);
  const job = watchJob(order.watched);
  let store: Store | null = null;
  try {
    store = await openStore(order.store, order.storeOptions);
    log.write(
      `claims ${JSON.stringify(order.request.key)} in ${store.url} as ${order.request.owner.id}`,
    );
    const forecast = new Forecast({
      slots: order.request.slots ?? 1,
      history: order.history ? historyOf(store, order.request.key) : null,
      onProgress: (progress) => starter.tell({ event: "progress", progress }),
    });
    const holding = await store
      .claim(order.request, {
        timeout: order.timeout,
        signal: AbortSignal.any([starter.gone, job.gone, stopSignals()]),
        onProgress: forecast.update,
      })
      .finally(() => forecast.end());
    log.write(`holds it with fence ${holding.lease.fence}`);
    const past = recall(order.history ? historyOf(store, holding.lease.key, RECALL_LIMIT) : null);
    await hold(order, holding, starter, job.gone, log, past);
  } catch (error) {
    const known = isLockError(error)
      ? error
      : new LockError("INTERNAL", messageOf(error), { cause: error });
    log.write(`failed: ${known.code} ${known.message}`);
    starter.tell({ event: "failed", code: known.code, message: known.message });
    // Whoever started it knows now; nobody else can, so nothing is left behind.
    removeLeaseFile(order.leaseFile);
  } finally {
    job.close();
    starter.close();
    await store?.close();
  }
}

async function hold(
  order: Order,
  holding: Holding,
  starter: Starter,
  jobGone: AbortSignal,
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
    starter.tell({ event: "kept" });
    starter.close();
    // At leisure now: whoever asks for it in the end need not wait.
    timers.push(setTimeout(past, RECALL_AFTER_MS));

    const onJobGone = () => end({ why: "watched-gone" });
    if (jobGone.aborted) onJobGone();
    else jobGone.addEventListener("abort", onJobGone);
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

/** Fires when the watched process has ended; from the first moment, since a killed worker stops no pre. */
function watchJob(watched: ProcessMark | null): { readonly gone: AbortSignal; close(): void } {
  const controller = new AbortController();
  if (watched === null) return { gone: controller.signal, close: () => {} };
  const processes = openProcesses({ sharedFilesystem: false });
  const look = () => {
    if (processes.alive(watched) === false) controller.abort();
  };
  look();
  const timer = setInterval(look, WATCH_MS);
  return { gone: controller.signal, close: () => clearInterval(timer) };
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
