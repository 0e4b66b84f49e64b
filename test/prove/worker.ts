import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as delay, setImmediate as immediate } from "node:timers/promises";
import { seededRandom } from "../../src/forecast/seeded.ts";
import { isLockError } from "../../src/lock/errors.ts";
import { HistoryWriter, now } from "../history/event.ts";
import { Witness, type Witnessed } from "../history/witness.ts";
import { openPlace, type Times } from "./open.ts";
import { openResource } from "./resource.ts";
import { shiftClock } from "./shifted-clock.ts";

export type Workload = "lock" | "set" | "fenced-set";

export interface WorkerTask {
  readonly store: string;
  readonly times: Times;
  readonly name: string;
  readonly keys: readonly string[];
  readonly slots: number;
  /** Claims draw weights and priorities, and some stand in line before they are ready. */
  readonly sharing: boolean;
  /** How many claims it has at once, each in a loop of its own. */
  readonly lanes: number;
  readonly deadAfter: number;
  readonly history: string;
  readonly seed: number;
  readonly workload: Workload;
  /** One hold in so many is frozen at the worst moment, between read and write. */
  readonly freezeEvery: number;
  /** Milliseconds that every hold lasts at the mean; 0: most of them are over at once. */
  readonly holdFor: number;
  /** Port of the resource that the lock protects. */
  readonly resource: number;
}

/** One process of a proof: claims, works and releases until its standard input ends. */
const task = JSON.parse(process.argv[2] ?? "") as WorkerTask;
const random = seededRandom(task.seed);
const history = new HistoryWriter(task.history);
const stop = new AbortController();
createInterface({ input: process.stdin })
  .on("line", (line) => shiftClock(Number(line)))
  .on("close", () => stop.abort());
const store = await openPlace(task.store, task.times);
const witness = new Witness(store, history, task.name);
const ask = openResource(task.resource);
/** What a claim may end in where nothing is wrong with the lock. */
const EXPECTED = ["TIMEOUT", "ABORTED", "STORE_UNREACHABLE", "LOCK_LOST"];
/** Part of the claims that give up after a moment. */
const IMPATIENT = 1 / 32;
/** Part of the claims that share which stand in line before they are ready, and for how long at most. */
const EARLY = 1 / 5;
const EARLY_MS = 40;
/** Part of the holds that last, so that faults meet a holder in the midst of its work. */
const LONG = 1 / 16;

await Promise.all(Array.from({ length: task.lanes }, (_, lane) => run(lane)));
await store.close();
history.close();
process.exit(0);

async function run(lane: number): Promise<void> {
  for (let round = 0; !stop.signal.aborted; round++) {
    if (round % 8 === 0) await immediate();
    await hold(`${task.name}#${lane}.${round}`);
  }
}

async function hold(claim: string): Promise<void> {
  // The first keys are wanted more often than the last ones: some have a line, some are free.
  const key = task.keys[Math.floor(random() ** 2 * task.keys.length)] as string;
  const { slots, deadAfter } = task;
  const timeout = random() < IMPATIENT ? Math.floor(random() * 50) : null;
  const weight = task.sharing ? 1 + Math.floor(random() ** 2 * slots) : 1;
  const priority = task.sharing ? Math.floor(random() * 3) - 1 : 0;
  const early = task.sharing && random() < EARLY ? { early: random() * EARLY_MS } : {};
  const owner = { id: task.sharing ? claim : task.name, metadata: {} };
  const request = { key, slots, deadAfter, owner, weight, priority };
  let witnessed: Witnessed;
  try {
    witnessed = await witness.claim(claim, request, { timeout, signal: stop.signal, ...early });
  } catch (error) {
    const isExpected = isLockError(error) && EXPECTED.includes(error.code);
    if (!isExpected) throw error;
    if (error.code !== "TIMEOUT") await delay(20);
    return;
  }
  const { lease } = witnessed.holding;
  if (lease.slots.length !== weight) throw new Error(`${claim} has slots ${lease.slots}`);
  await work(key, claim, lease.fence);
  await witnessed.release().catch((error: unknown) => {
    if (!isLockError(error, "STORE_UNREACHABLE")) throw error;
  });
}

/** The guarded work: reads the set, thinks, writes it back with one element more. */
async function work(key: string, element: string, fence: number | null): Promise<void> {
  const isLong = task.holdFor > 0 || random() < LONG;
  const think = isLong ? random() * (task.holdFor * 2 || 10) : 0;
  if (task.workload === "lock") {
    if (isLong) await delay(think);
    return;
  }
  const shown = task.workload === "set" ? null : fence;
  const read = await ask({ ask: "read", key, fence: shown });
  if (isLong) await delay(think);
  if (random() < 1 / task.freezeEvery) freeze(key);
  if (!("elements" in read)) throw new Error("a read was answered as a write");
  const elements = [...read.elements, element];
  await ask({ ask: "write", key, elements, fence: shown });
}

/** Stops this process, as a paused machine is stopped. The one that started it lets it go on. */
function freeze(key: string): void {
  history.write({ at: now(), process: task.name, event: "stop" });
  writeSync(process.stdout.fd, `${key}\n`);
  process.kill(process.pid, "SIGSTOP");
}
