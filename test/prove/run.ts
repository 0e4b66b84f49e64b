import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { isLockError, messageOf } from "../../src/lock/errors.ts";
import { Checker, type Verdict } from "../history/checker.ts";
import { HistoryReader, HistoryWriter, now } from "../history/event.ts";
import { Witness } from "../history/witness.ts";
import { ProofCrew } from "./crew.ts";
import { Faults } from "./faults.ts";
import { Killed } from "./killed.ts";
import { openPlace } from "./open.ts";
import type { Place } from "./places.ts";
import { Resource } from "./resource.ts";
import type { Workload } from "./worker.ts";

export interface ProofOptions {
  readonly place: Place;
  readonly workload: Workload;
  /** Calls on the lock and on what it protects, in all. */
  readonly operations: number;
  /** Ends a run that does not get so far, in milliseconds. */
  readonly limit: number;
  readonly processes: number;
  /** Claims that each process has at once. */
  readonly lanes: number;
  readonly keys: number;
  readonly slots: number;
  /** Claims draw weights and priorities, and some stand in line before they are ready. */
  readonly sharing: boolean;
  readonly seed: number;
  /** Milliseconds between two faults at the mean; 0: none. */
  readonly faultEvery: number;
  /** The kinds of faults; null: all that the place knows. */
  readonly only: readonly string[] | null;
  /** Milliseconds that a hold lasts at the mean; 0: most of them are over at once. */
  readonly holdFor: number;
  /** One hold in so many is frozen between its read and its write of what is protected. */
  readonly freezeEvery: number;
  /** Keeps the history. */
  readonly directory: string;
}

export interface ProofFigures {
  readonly verdict: Verdict;
  readonly operations: number;
  readonly faults: Readonly<Record<string, number>>;
  /** Claims whose process was killed while they held, and while they stood in line. */
  readonly killed: { readonly holding: number; readonly waiting: number };
  /** Writes to what the lock protects, those that were refused, and elements that were destroyed. */
  readonly writes: number;
  readonly refused: number;
  readonly destroyed: readonly string[];
  /** Processes that failed or did not end, and keys that nobody could get afterwards. */
  readonly failures: readonly string[];
  readonly seconds: number;
  readonly history: string;
}

const LOOK_MS = 20;
/** A busy machine may take its time to run a process that was let go on. */
const TELL_WITHIN_US = 30_000_000;
/** Where nothing is done to the processes: a busy machine may keep one from running for seconds. */
const CALM_DEAD_AFTER_MS = 30_000;
/** Beside the silence that is death: so long may a key stay shut when everybody is gone. */
const SHUT_MS = 120_000;

/** Runs one workload under faults, and has the checker judge its history while it is written. */
export async function prove(
  options: ProofOptions,
  onProgress: (operations: number, faults: number) => void = () => {},
): Promise<ProofFigures> {
  const { place, directory, seed, workload, slots, sharing, lanes, freezeEvery, holdFor } = options;
  const path = join(directory, "history.jsonl");
  const history = new HistoryWriter(path);
  const resource = await Resource.start();
  const keys = Array.from({ length: options.keys }, (_, index) => `key-${index}`);
  const onFreeze = async (key: string) => {
    // Where a frozen holder keeps its lock, somebody takes it away.
    if (place.breakKey !== null) {
      history.write({ at: now(), process: "admin", event: "break", key });
      await place.breakKey(key);
    }
    await delay(3 * place.deadAfter);
  };
  const crew = new ProofCrew(options.processes, history, onFreeze, (name, run) => ({
    store: place.url,
    times: place.times,
    name,
    keys,
    slots,
    sharing,
    lanes,
    deadAfter:
      options.faultEvery === 0 ? Math.max(place.deadAfter, CALM_DEAD_AFTER_MS) : place.deadAfter,
    history: path,
    seed: seed * 1_000_003 + run,
    workload,
    freezeEvery,
    holdFor,
    resource: resource.port,
  }));
  const reader = new HistoryReader(path);
  const checker = new Checker({ tellWithin: TELL_WITHIN_US, together: place.together });
  const killed = new Killed();
  let calls = 0;
  const look = () => {
    for (let part = reader.read(); part.length > 0; part = reader.read())
      for (const event of part) {
        if (event.event === "claim" || event.event === "release") calls++;
        checker.follow(event);
        killed.follow(event);
      }
  };
  const operations = () => calls + resource.writes * 2;
  const faults = new Faults(options, crew, history);
  const started = performance.now();
  const isOver = () =>
    crew.failures.length + checker.faults.length > 0 ||
    performance.now() - started > options.limit ||
    operations() >= options.operations;
  while (!isOver()) {
    await delay(LOOK_MS);
    look();
    await faults.maybe();
    onProgress(operations(), faults.count);
  }
  await faults.end();
  const seconds = (performance.now() - started) / 1_000;
  await crew.end(60_000 + 4 * place.deadAfter);
  const isVain = place.isSlowToDie || checker.faults.length > 0;
  const shut = isVain ? [] : await findShut(options, keys, history);
  history.close();
  resource.close();
  look();
  reader.close();
  return {
    verdict: checker.verdict(),
    operations: operations(),
    faults: { ...faults.counts, freeze: crew.freezes },
    killed: killed.counts,
    writes: resource.writes,
    refused: resource.refused,
    destroyed: resource.lost,
    failures: [...crew.failures, ...shut],
    seconds,
    history: path,
  };
}

/** Claims every key once more, when all processes have ended or were killed: none stays shut. */
async function findShut(
  { place, slots }: ProofOptions,
  keys: readonly string[],
  history: HistoryWriter,
): Promise<string[]> {
  const store = await openPlace(place.url, place.times);
  const witness = new Witness(store, history, "last");
  const timeout = SHUT_MS + 4 * place.deadAfter;
  const found = await Promise.all(
    keys.map(async (key) => {
      const request = {
        key,
        slots,
        deadAfter: place.deadAfter,
        owner: { id: "last", metadata: {} },
      };
      try {
        const { release } = await witness.claim(`last ${key}`, request, { timeout });
        // The key is not shut, whether its release is answered in time or not.
        await release().catch((error: unknown) => {
          if (!isLockError(error, "STORE_UNREACHABLE")) throw error;
        });
        return [];
      } catch (error) {
        return [`${key} stayed shut: ${messageOf(error)}`];
      }
    }),
  );
  await store.close();
  return found.flat();
}
