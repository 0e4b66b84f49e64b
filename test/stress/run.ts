import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { seededRandom } from "../../src/forecast/seeded.ts";
import { openStore } from "../../src/stores/open.ts";
import { Checker } from "../history/checker.ts";
import { HistoryReader, HistoryWriter } from "../history/event.ts";
import { Crew } from "./crew.ts";

export interface StressOptions {
  readonly acquisitions: number;
  /** Ends earlier than that after so many minutes; 0: never. */
  readonly minutes: number;
  readonly processes: number;
  readonly slots: number;
  /** A kill for about this many acquisitions; 0: none. */
  readonly killEvery: number;
  readonly seed: number;
  readonly fsync: boolean;
  /** Gives each worker a store of its own, so that nothing excludes them: the checker must see it. */
  readonly apart: boolean;
  /** Holds the store (or stores) and the history. */
  readonly directory: string;
  /** Milliseconds without a sign of one worker after which the run counts as stuck. */
  readonly stuckAfter: number;
}

export interface StressFigures {
  readonly acquisitions: number;
  readonly kills: number;
  readonly overlaps: readonly string[];
  /** Fences that did not grow, workers that failed, locks left behind. */
  readonly faults: readonly string[];
  readonly stuck: readonly string[];
  readonly seconds: number;
  readonly medianWait: number;
  readonly maxWait: number;
}

const KEY = "stress";
/** Nobody is stopped or broken here: a loss has no excuse. */
const TELL_WITHIN_US = 0;
/** Between two looks at the history; random, so that kills meet every moment of a section. */
const LOOK_MS = 15;
/** A broken lock fails at once, and often: what is said first is enough. */
const FINDINGS_LIMIT = 20;

/** Runs workers against one key until there are enough acquisitions, and has the checker judge the history. */
export async function runStress(
  options: StressOptions,
  onProgress: (acquisitions: number, kills: number, overlaps: number) => void,
): Promise<StressFigures> {
  const random = seededRandom(options.seed);
  const { directory, slots, killEvery } = options;
  mkdirSync(directory, { recursive: true });
  const path = join(directory, "history.jsonl");
  const history = new HistoryWriter(path);
  const reader = new HistoryReader(path);
  const checker = new Checker({ tellWithin: TELL_WITHIN_US });
  const waits: number[] = [];
  const overlaps = () => sentences(checker, true);
  const storeOf = (place: number) => join(directory, options.apart ? `store${place}` : "store");
  const failures: string[] = [];
  const stuck: string[] = [];
  const start = performance.now();
  const seen = new Map<string, number>();
  const crew = new Crew({
    size: options.processes,
    history,
    cache: join(directory, "cache"),
    taskOf: (place, name, run) => {
      seen.set(name, performance.now());
      const seed = options.seed * 1_000_003 + run;
      const store = { store: storeOf(place), options: { fsync: options.fsync } };
      return { ...store, name, key: KEY, slots, history: path, seed };
    },
    onFailure: (sentence) => failures.push(sentence),
  });

  const claimed = new Map<string, number>();
  const look = () => {
    const now = performance.now();
    for (let part = reader.read(); part.length > 0; part = reader.read())
      for (const event of part) {
        seen.set(event.process, now);
        checker.follow(event);
        if (event.event === "claim") claimed.set(event.process, event.at);
        else if (event.event === "granted")
          waits.push((event.at - (claimed.get(event.process) ?? event.at)) / 1_000);
      }
  };
  const untilNextKill = () => killEvery * (0.5 + random());
  let nextKill = untilNextKill();
  const end = options.minutes > 0 ? start + options.minutes * 60_000 : Number.POSITIVE_INFINITY;
  const isOver = () => checker.grants >= options.acquisitions || performance.now() >= end;
  while (!isOver() && stuck.length === 0) {
    await delay(random() * LOOK_MS);
    look();
    if (killEvery > 0 && checker.grants >= nextKill) {
      crew.kill(Math.floor(random() * options.processes));
      nextKill = checker.grants + untilNextKill();
    }
    const now = performance.now();
    const silent = crew.names.filter((name) => now - (seen.get(name) ?? now) > options.stuckAfter);
    if (silent.length > 0) stuck.push(`${silent.join(", ")}: ${await whoHolds(storeOf(0))}`);
    // Stores of their own count fences of their own: there only what overlaps is a finding.
    const findings = options.apart ? overlaps().length : checker.faults.length;
    if (failures.length + findings > FINDINGS_LIMIT) break;
    onProgress(checker.grants, crew.kills, overlaps().length);
  }
  const seconds = (performance.now() - start) / 1_000;
  await crew.stop(stuck.length > 0);
  look();
  reader.close();
  history.close();
  const { grants, unknown } = checker.verdict();
  const left = options.apart || stuck.length > 0 ? [] : await leftBehind(storeOf(0));
  const sorted = Float64Array.from(waits).sort();
  return {
    acquisitions: grants,
    kills: crew.kills,
    overlaps: overlaps(),
    faults: [...failures, ...sentences(checker, false), ...unknown, ...left],
    stuck,
    seconds,
    medianWait: sorted[Math.floor(sorted.length / 2)] ?? 0,
    maxWait: sorted.at(-1) ?? 0,
  };
}

/** What the checker has found so far: overlaps, or everything else. */
function sentences({ faults }: Checker, areOverlaps: boolean): string[] {
  return faults
    .filter(({ kind }) => (kind === "overlap") === areOverlaps)
    .map(({ sentence }) => sentence);
}

async function whoHolds(url: string): Promise<string> {
  const store = await openStore(url);
  const status = await store.inspect(KEY);
  await store.close();
  return JSON.stringify(status);
}

/** When everybody has left, nobody holds and nobody waits, and the key can be had at once. */
async function leftBehind(url: string): Promise<string[]> {
  const store = await openStore(url);
  const status = await store.inspect(KEY);
  const living = status.holders.filter((holder) => holder.alive !== false);
  await store.close();
  return living.length + status.waiting === 0 ? [] : [`left behind: ${JSON.stringify(status)}`];
}
