import { setTimeout as delay } from "node:timers/promises";
import { isLockError } from "../../src/lock/errors.ts";
import type { Holding, Store } from "../../src/lock/store.ts";
import { openStore } from "../../src/stores/open.ts";
import { HOLD_MS, now, type Turn } from "./turn.ts";

/**
 * A process of a benchmark, told what to do by messages from its parent and answering with times of
 * the machine's monotonic clock, which all processes share.
 */
export type Task =
  | { readonly kind: "alternate"; readonly rounds: number; readonly pollMs: number | null }
  | { readonly kind: "queue"; readonly claims: number };

/** A part of the time for which the other one then holds it. */
const REST_MS = HOLD_MS / 3;

const [, , url = "", key = ""] = process.argv;
const request = { key, owner: { id: `participant-${process.pid}`, metadata: {} } };

async function claim(store: Store, pollMs: number | null): Promise<Holding> {
  if (pollMs === null) return store.claim(request);
  for (;;) {
    try {
      return await store.claim(request, { timeout: 0 });
    } catch (error) {
      if (!isLockError(error, "TIMEOUT")) throw error;
      await delay(pollMs);
    }
  }
}

async function turn(store: Store, pollMs: number | null, holdMs: number): Promise<Turn> {
  const holding = await claim(store, pollMs);
  const granted = now();
  if (holdMs > 0) await delay(holdMs);
  const released = now();
  await holding.release();
  return { pid: process.pid, granted, released };
}

async function perform(store: Store, task: Task): Promise<Turn[]> {
  if (task.kind === "queue") {
    return Promise.all(Array.from({ length: task.claims }, () => turn(store, null, 0)));
  }
  const turns: Turn[] = [];
  for (let round = 0; round < task.rounds; round++) {
    turns.push(await turn(store, task.pollMs, HOLD_MS));
    // A poll is not fair: without a pause the same one would win again. Else the pause is there so that
    // its next claim takes nothing of the machine from the one that is just getting the lock.
    await delay(task.pollMs === null ? REST_MS : task.pollMs * 1.5);
  }
  return turns;
}

if (process.send !== undefined) {
  const store = await openStore(url, { fsync: false });
  process.on("message", (task: Task) => {
    void perform(store, task).then((turns) => process.send?.(turns));
  });
  // Connections to an engine would keep it alive.
  process.on("disconnect", () => void store.close());
  process.send("ready");
}
