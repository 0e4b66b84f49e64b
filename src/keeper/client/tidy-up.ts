import { setTimeout as delay } from "node:timers/promises";
import { openProcesses, type ProcessMark } from "../../machine/processes.ts";
import { isKeeper } from "../../machine/programs.ts";
import { type Access, withStore } from "../leases.ts";
import type { Starter } from "../program/starter.ts";
import type { Task } from "../protocol.ts";

/** How long to wait for a killed process: it closes its pipes a moment before it counts as ended. */
const LOOK_MS = 10;
const PATIENCE_MS = 2_000;

/**
 * Removes the ticket of a starter that was killed in line. The next claim would remove it too, but
 * perhaps no claim comes.
 */
export async function tidyUpAfter(starter: Starter, task: Task): Promise<void> {
  if (starter.tookLeave) return;
  await seeEnd(task.starter);
  const { key, owner } = task.request;
  const { store, storeOptions: options } = task;
  await tidyUp({ key, owner: owner.id, store }, { store, options });
}

/** Waits for the end of a keeper whose starter is gone, and kills one that is stopped. */
export async function seeOut(keeper: ProcessMark): Promise<void> {
  await seeEnd(keeper);
  await endKeeper(keeper);
}

/**
 * Kills a keeper that still lives, and waits for its end. A mark comes from a file that others may
 * have written: only a process of that pid and start time that runs the keeper's program is one. A
 * killed process may be there for a moment, and longer on a busy machine: a runner that finds it
 * then reports it as an orphan of the job.
 */
export async function endKeeper(keeper: ProcessMark): Promise<void> {
  const { alive } = openProcesses({ sharedFilesystem: false });
  if (keeper.start === null || alive(keeper) !== true || !isKeeper(keeper.pid)) return;
  try {
    process.kill(keeper.pid, "SIGKILL");
  } catch {
    // The process has ended by itself meanwhile.
    return;
  }
  await seeEnd(keeper);
}

/** Waits for the end of a process that is about to end, but not for ever. */
async function seeEnd(mark: ProcessMark): Promise<void> {
  const { alive } = openProcesses({ sharedFilesystem: false });
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    if (alive(mark) === false || Date.now() > until) return;
    await delay(LOOK_MS);
  }
}

/** Removes what a killed claim left in its store. */
export async function tidyUp(
  { key, owner, store }: { readonly key: string; readonly owner: string; readonly store: string },
  access: Access,
): Promise<void> {
  const lease = { store, storeOptions: {} };
  await withStore(lease, access, async (opened) => void (await opened.clean?.({ key, owner })));
}
