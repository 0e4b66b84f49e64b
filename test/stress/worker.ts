import { seededRandom } from "../../src/forecast/seeded.ts";
import { openStore } from "../../src/stores/open.ts";
import type { StoreOptions } from "../../src/stores/options.ts";
import { HistoryWriter } from "../history/event.ts";
import { hammer } from "./hammer.ts";

export interface WorkerTask {
  readonly store: string;
  readonly options: StoreOptions;
  readonly name: string;
  readonly key: string;
  readonly slots: number;
  readonly history: string;
  readonly seed: number;
}

/** One process of a stress run: hammers until its standard input ends, also when its parent is gone. */
const task = JSON.parse(process.argv[2] ?? "") as WorkerTask;
const stop = new AbortController();
process.stdin.on("end", () => stop.abort()).resume();
const history = new HistoryWriter(task.history);
const store = await openStore(task.store, task.options);
const { name, key, slots } = task;
const random = seededRandom(task.seed);
const rounds = Number.POSITIVE_INFINITY;
await hammer(store, { name, key, slots, history, random, rounds, signal: stop.signal });
await store.close();
history.close();
