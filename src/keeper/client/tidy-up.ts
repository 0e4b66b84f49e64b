import { setTimeout as delay } from "node:timers/promises";
import type { ProcessMark } from "../../machine/processes.ts";
import { openProcesses } from "../../machine/processes.ts";
import type { StoreOptions } from "../../stores/open.ts";
import type { Starter } from "../program/starter.ts";
import type { Order } from "../protocol.ts";
import { withStore } from "./lease-store.ts";

/** A killed process closes its pipes a moment before it counts as ended. */
const LOOK_MS = 10;
const PATIENCE_MS = 2_000;

/**
 * A starter that was killed in line could not give its ticket back. Whoever comes next would pass
 * over it, but perhaps nobody comes.
 */
export async function tidyUpAfter(starter: Starter, order: Order): Promise<void> {
  if (starter.tookLeave) return;
  await seeEnd(order.starter);
  const { key, owner } = order.request;
  await tidyUp({ key, owner: owner.id, store: order.store, storeOptions: order.storeOptions });
}

/** Waits for the end of a keeper whose starter is gone; one that is stopped is ended. */
export async function seeOut(keeper: ProcessMark): Promise<void> {
  const isAlive = await seeEnd(keeper);
  if (isAlive === true) process.kill(keeper.pid, "SIGKILL");
}

/** Waits for the end of a process that is about to. Returns whether it lives all the same. */
async function seeEnd(mark: ProcessMark): Promise<boolean | null> {
  const { alive } = openProcesses({ sharedFilesystem: false });
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    const isAlive = alive(mark);
    if (isAlive === false || Date.now() > until) return isAlive;
    await delay(LOOK_MS);
  }
}

/** Removes what a claim left that was killed, where its store leaves something. */
export async function tidyUp(claim: {
  readonly key: string;
  readonly owner: string;
  readonly store: string;
  readonly storeOptions: StoreOptions;
}): Promise<void> {
  await withStore(claim, async (store) => {
    await store.clean?.({ key: claim.key, owner: claim.owner });
  });
}
