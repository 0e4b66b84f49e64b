import { setTimeout as delay } from "node:timers/promises";
import { type Random, seededRandom } from "../../src/forecast/seeded.ts";
import { type HistoryWriter, now } from "../history/event.ts";
import type { ProofCrew } from "./crew.ts";
import type { ProofOptions } from "./run.ts";

/** Chooses and carries out what goes wrong. The same seed makes the same choices. */
export class Faults {
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
    const { only } = this.#options;
    const all = ["kill", "stop", "clock", ...this.#ofNetwork()];
    const kinds = all.filter((kind) => only === null || only.includes(kind));
    const kind = kinds[Math.floor(this.#random() * kinds.length)];
    if (kind === undefined) return;
    const running = this.#fault(kind);
    this.#running.add(running);
    void running.finally(() => this.#running.delete(running));
  }

  get count(): number {
    return Object.values(this.counts).reduce((sum, times) => sum + times, 0);
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
