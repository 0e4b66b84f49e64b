import { statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Random, seededRandom } from "../../src/forecast/seeded.ts";
import { check, type Verdict } from "../history/checker.ts";
import { type Event, HistoryWriter, now, readHistory } from "../history/event.ts";
import { ProofCrew } from "./crew.ts";
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
  readonly keys: number;
  readonly slots: number;
  readonly seed: number;
  /** Milliseconds between two faults at the mean; 0: none. */
  readonly faultEvery: number;
  /** Keeps the history. */
  readonly directory: string;
}

export interface ProofFigures {
  readonly verdict: Verdict;
  readonly operations: number;
  readonly faults: Readonly<Record<string, number>>;
  /** Writes to what the lock protects, those that were refused, and elements that were destroyed. */
  readonly writes: number;
  readonly refused: number;
  readonly destroyed: readonly string[];
  /** Processes that failed or did not end. */
  readonly failures: readonly string[];
  readonly seconds: number;
  readonly history: string;
}

const LOOK_MS = 20;
/** A claim is three events and a release two; a read and a write of what is protected are none. */
const BYTES_PER_OPERATION = 150;

/** Runs one workload under faults, and has the checker judge its history. */
export async function prove(options: ProofOptions): Promise<ProofFigures> {
  const { place, directory, seed, workload, slots } = options;
  const path = join(directory, "history.jsonl");
  const history = new HistoryWriter(path);
  const resource = await Resource.start();
  const keys = Array.from({ length: options.keys }, (_, index) => `key-${index}`);
  const crew = new ProofCrew(options.processes, history, 3 * place.deadAfter, (name, run) => ({
    store: place.url,
    name,
    keys,
    slots,
    deadAfter: place.deadAfter,
    history: path,
    seed: seed * 1_000_003 + run,
    workload,
    resource: resource.port,
  }));
  const faults = new Faults(options, crew, history);
  const started = performance.now();
  const isOver = () => crew.failures.length > 0 || performance.now() - started > options.limit;
  const enough = options.operations * BYTES_PER_OPERATION * (workload === "lock" ? 1 : 0.5);
  while (!isOver() && statSync(path).size < enough) {
    await delay(LOOK_MS);
    await faults.maybe();
  }
  await faults.end();
  const seconds = (performance.now() - started) / 1_000;
  await crew.end(60_000 + 4 * place.deadAfter);
  history.close();
  resource.close();
  const events = readHistory(path);
  return {
    verdict: check(events, { tellWithin: TELL_WITHIN_MS * 1_000, fair: true }),
    operations: operationsIn(events) + resource.writes * 2,
    faults: { ...faults.counts, freeze: crew.freezes },
    writes: resource.writes,
    refused: resource.refused,
    destroyed: resource.lost,
    failures: crew.failures,
    seconds,
    history: path,
  };
}

/** A busy machine may take its time to run a process that was let go on. */
const TELL_WITHIN_MS = 30_000;

function operationsIn(events: readonly Event[]): number {
  return events.filter(({ event }) => event === "claim" || event === "release").length;
}

/** Chooses and carries out what goes wrong. The same seed makes the same choices. */
class Faults {
  readonly counts: Record<string, number> = {};
  readonly #options: ProofOptions;
  readonly #crew: ProofCrew;
  readonly #history: HistoryWriter;
  readonly #random: Random;
  readonly #running = new Set<Promise<void>>();
  #next: number;
  #isNetworkBusy = false;

  constructor(options: ProofOptions, crew: ProofCrew, history: HistoryWriter) {
    this.#options = options;
    this.#crew = crew;
    this.#history = history;
    this.#random = seededRandom(options.seed);
    this.#next = this.#pause();
  }

  async maybe(): Promise<void> {
    if (performance.now() < this.#next) return;
    this.#next = this.#pause();
    const kinds = ["kill", "stop", "clock", ...this.#ofNetwork()];
    const kind = kinds[Math.floor(this.#random() * kinds.length)] as string;
    const running = this.#fault(kind);
    this.#running.add(running);
    void running.finally(() => this.#running.delete(running));
  }

  /** Waits until everything is whole again. */
  async end(): Promise<void> {
    await Promise.all(this.#running);
  }

  #ofNetwork(): string[] {
    const { network, restart } = this.#options.place;
    if (this.#isNetworkBusy) return [];
    return [...(network === null ? [] : ["cut", "slow"]), ...(restart === null ? [] : ["restart"])];
  }

  #pause(): number {
    const { faultEvery } = this.#options;
    if (faultEvery === 0) return Number.POSITIVE_INFINITY;
    return performance.now() + faultEvery * (0.5 + this.#random());
  }

  async #fault(kind: string): Promise<void> {
    const { processes, place } = this.#options;
    const { deadAfter } = place;
    const victim = Math.floor(this.#random() * processes);
    const long = deadAfter * (0.3 + 1.5 * this.#random());
    this.counts[kind] = (this.counts[kind] ?? 0) + 1;
    if (kind === "kill") this.#crew.kill(victim);
    else if (kind === "stop") {
      const goOn = this.#crew.stop(victim);
      await delay(long);
      goOn?.();
    } else if (kind === "clock") {
      this.#crew.shiftClock(victim, Math.floor((this.#random() - 0.5) * 7_200_000));
    } else await this.#disturbNetwork(kind, long);
  }

  async #disturbNetwork(kind: string, long: number): Promise<void> {
    const { network, restart } = this.#options.place;
    this.#isNetworkBusy = true;
    this.#history.write({ at: now(), process: "network", event: "outage" });
    if (kind === "cut") network?.cut();
    else if (kind === "slow" && network !== null) network.latency = 5 + this.#random() * 50;
    else await restart?.();
    await delay(kind === "restart" ? 0 : long);
    network?.heal();
    if (network !== null) network.latency = 0;
    this.#history.write({ at: now(), process: "network", event: "outage" });
    this.#isNetworkBusy = false;
  }
}
