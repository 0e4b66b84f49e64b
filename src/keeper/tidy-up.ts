import { setTimeout as delay } from "node:timers/promises";
import { openProcesses } from "../stores/file/processes.ts";
import { openStore } from "../stores/open.ts";
import type { Order } from "./order.ts";
import type { Starter } from "./starter.ts";

/** A killed process closes its pipes a moment before it counts as ended. */
const LOOK_MS = 10;
const PATIENCE_MS = 2_000;

/**
 * A starter that was killed in line could not give its ticket back. Whoever comes next would pass
 * over it, but perhaps nobody comes.
 */
export async function tidyUpAfter(starter: Starter, order: Order): Promise<void> {
  if (starter.tookLeave()) return;
  const { alive } = openProcesses({ sharedFilesystem: false });
  const until = Date.now() + PATIENCE_MS;
  while (alive(order.starter) !== false && Date.now() < until) await delay(LOOK_MS);
  const store = await openStore(order.store, order.storeOptions);
  try {
    await store.clean?.({ key: order.request.key, owner: order.request.owner.id });
  } finally {
    await store.close();
  }
}
