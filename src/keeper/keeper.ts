import { writeFileSync } from "node:fs";
import { isLockError, LockError, messageOf } from "../lock/errors.ts";
import type { Holding, ReleaseOutcome, Store } from "../lock/store.ts";
import { openProcesses } from "../stores/file/processes.ts";
import type { ProcessMark } from "../stores/file/record.ts";
import { openStore } from "../stores/open.ts";
import { type LeaseFile, removeLeaseFile, writeLeaseFile } from "./lease-file.ts";
import { parseLine, readLines } from "./lines.ts";
import { type KeeperLog, openLog } from "./log.ts";
import { ACKNOWLEDGED, type Message, type Order } from "./order.ts";
import { type KeeperSocket, serveSocket } from "./socket.ts";

/** How soon the keeper notices that its job is gone; a look costs some 10 µs. */
const WATCH_MS = 1_000;
/** A detached lock is let go at this part of its ttl, before its holder would have to count it as lost. */
const BOUND_AT = 0.9;

/** How the keeper's life ends. */
type End =
  | { readonly why: "asked" | "watched-gone" | "told" | "bound" | "unacknowledged" }
  | { readonly why: "lost"; readonly reason: string };

/** The whole life of a keeper: claim, tell, hold, watch, let go. */
export async function keep(): Promise<void> {
  const starter = listenToStarter();
  const order = await starter.order;
  const log = openLog(order.leaseFile);
  const job = watchJob(order.watched);
  let store: Store | null = null;
  try {
    store = await openStore(order.store, order.storeOptions);
    log.write(
      `claims ${JSON.stringify(order.request.key)} in ${store.url} as ${order.request.owner.id}`,
    );
    const holding = await store.claim(order.request, {
      timeout: order.timeout,
      signal: AbortSignal.any([starter.gone, job.gone, stopSignals()]),
      onProgress: (progress) => starter.tell({ event: "progress", progress }),
    });
    log.write(`holds it with fence ${holding.lease.fence}`);
    await hold(order, holding, starter, job.gone, log);
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
      return { outcome: await released };
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

interface Starter {
  readonly order: Promise<Order>;
  /** Fires when the starter ends before it knows about the grant. */
  readonly gone: AbortSignal;
  /** True once it knows; false where it went before. */
  readonly acknowledged: Promise<boolean>;
  tell(message: Message): void;
  close(): void;
}

/** The two pipes to the process that started this one. Its end closes them, however it ends. */
function listenToStarter(): Starter {
  const order = Promise.withResolvers<Order>();
  const acknowledged = Promise.withResolvers<boolean>();
  const gone = new AbortController();
  let first = true;
  process.stdout.on("error", () => {});
  readLines(
    process.stdin,
    (line) => {
      if (first) {
        first = false;
        const value = parseLine(line);
        if (value === null) order.reject(new Error("the order is not JSON"));
        else order.resolve(value as unknown as Order);
      } else if (line === ACKNOWLEDGED) acknowledged.resolve(true);
    },
    () => {
      order.reject(new Error("the starter ended before it gave an order"));
      acknowledged.resolve(false);
      gone.abort();
    },
  );
  return {
    order: order.promise,
    gone: gone.signal,
    acknowledged: acknowledged.promise,
    tell: (message) => {
      if (process.stdout.writable) process.stdout.write(`${JSON.stringify(message)}\n`);
    },
    close: () => {
      process.stdin.destroy();
    },
  };
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
