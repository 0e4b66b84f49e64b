import { isLockError, LockError, messageOf } from "../../lock/errors.ts";
import { openFileHolder } from "../../stores/file/holder.ts";
import { openStore } from "../../stores/open.ts";
import { tidyUpAfter } from "../client/tidy-up.ts";
import { LazyForecast } from "../lazy-forecast.ts";
import { removeLeaseFile } from "../lease-file.ts";
import { pastOf } from "../past.ts";
import type { Message, Order } from "../protocol.ts";
import { hold } from "./hold.ts";
import { type KeeperLog, openLog } from "./log.ts";
import { stopSignals } from "./signals.ts";
import { Starter } from "./starter.ts";
import { watchJob } from "./watch-job.ts";

/** The whole life of a keeper: claim or adopt, tell, hold, watch, let go. */
export async function keep(): Promise<void> {
  const starter = new Starter();
  const order = starter.order();
  // Its starter found that there is nothing to claim, or ended.
  if (order === null) return;
  const log = openLog(order.leaseFile);
  try {
    await (order.claimedBy === "starter" ? adopt : claim)(order, starter, log);
  } catch (error) {
    const known = isLockError(error)
      ? error
      : new LockError("INTERNAL", messageOf(error), { cause: error });
    log.write(`failed: ${known.code} ${known.message}`);
    starter.tell({ event: "failed", code: known.code, message: known.message });
    // Whoever started it knows now; nobody else can, so nothing is left behind.
    removeLeaseFile(order.leaseFile);
  }
}

/**
 * Takes over what its starter claims. Only locks in files are claimed by one process for another,
 * and the code to hold those is part of this program.
 */
async function adopt(order: Order, starter: Starter, log: KeeperLog): Promise<void> {
  const store = openFileHolder(order.store, order.storeOptions);
  try {
    const lease = starter.lease();
    if (lease === null) return await tidyUpAfter(starter, order);
    const holding = await store.adopt(lease, order.request);
    await hold(order, log, {
      holding,
      tell: (message) => starter.tell(message),
      listen: () => starter.listen(),
      job: () => watchJob(order.watched),
    });
  } finally {
    await store.close();
  }
}

/** Stands in line itself: for a store that knows a holder by its connection. */
async function claim(order: Order, starter: Starter, log: KeeperLog): Promise<void> {
  const { request, timeout } = order;
  log.write(`claims ${JSON.stringify(request.key)} in ${order.store}`);
  const listened = starter.listen();
  const job = watchJob(order.watched);
  const store = await openStore(order.store, order.storeOptions);
  const tell = (message: Message) => starter.tell(message);
  const forecast = new LazyForecast(store, order, (progress) =>
    tell({ event: "progress", progress }),
  );
  try {
    const signal = AbortSignal.any([listened.gone, job.gone, stopSignals()]);
    const holding = await store
      .claim(request, { timeout, signal, onProgress: forecast.update })
      .finally(() => forecast.end());
    const past = pastOf(store, order);
    await hold(order, log, { holding, tell, listen: () => listened, job: () => job, past });
  } finally {
    job.close();
    listened.close();
    await store.close();
  }
}
