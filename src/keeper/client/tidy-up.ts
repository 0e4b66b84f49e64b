import { setTimeout as delay } from "node:timers/promises";
import { openProcesses, type ProcessMark } from "../../machine/processes.ts";
import type { StoreOptions } from "../../stores/options.ts";
import { withStore } from "../leases.ts";
import type { Starter } from "../program/starter.ts";
import type { Task } from "../protocol.ts";

/** A killed process closes its pipes a moment before it counts as ended. */
const LOOK_MS = 10;
const PATIENCE_MS = 2_000;

/**
 * Removes the ticket of a starter that was killed in line. The next claim would pass over it, but
 * perhaps none comes.
 */
export async function tidyUpAfter(starter: Starter, task: Task): Promise<void> {
  if (starter.tookLeave) return;
  await seeEnd(task.starter);
  const { key, owner } = task.request;
  await tidyUp({ key, owner: owner.id, store: task.store, storeOptions: task.storeOptions });
}

/** Waits for the end of a keeper whose starter is gone, and kills one that is stopped. */
export async function seeOut(keeper: ProcessMark): Promise<void> {
  const isAlive = await seeEnd(keeper);
  if (isAlive === true) process.kill(keeper.pid, "SIGKILL");
}

/**
 * Kills a keeper, and waits for its end. A killed process may be there for a moment, and longer on a
 * busy machine: a runner that finds it then reports it as an orphan of the job.
 */
export async function killAndSeeEnd(keeper: ProcessMark): Promise<void> {
  if (openProcesses({ sharedFilesystem: false }).alive(keeper) !== true) return;
  try {
    process.kill(keeper.pid, "SIGKILL");
  } catch {
    // It ended by itself in the meantime.
    return;
  }
  await seeEnd(keeper);
}

/** Waits for the end of a process that is about to end. Returns whether it lives all the same. */
async function seeEnd(mark: ProcessMark): Promise<boolean | null> {
  const { alive } = openProcesses({ sharedFilesystem: false });
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    const isAlive = alive(mark);
    if (isAlive === false || Date.now() > until) return isAlive;
    await delay(LOOK_MS);
  }
}

/** Removes what a killed claim left in its store. */
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
