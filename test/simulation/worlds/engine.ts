import type { Random } from "../../../src/forecast/seeded.ts";
import type { Swap, Version } from "../../../src/stores/engines/register.ts";
import type { Universe } from "../clockwork/universe.ts";
import type { Writer } from "./bounds.ts";

/** How many old states reads may still show. */
const STATES_KEPT = 8;

const NO_REFUSAL = { part: 0, until: 0 };

interface Watcher {
  readonly key: string;
  readonly version: string | null;
  readonly wake: () => void;
}

/** The clock of an engine, as it tells it. Its machine's is as wrong as any other. */
export interface EngineClock {
  /** Milliseconds by which it is ahead of the true time. */
  readonly ahead: number;
  /** It tells whole steps of so many milliseconds; 0: it is exact. */
  readonly precision: number;
  /** It is asked again only after so long. */
  readonly every: number;
  /** Machines that never hear of it: their user may not ask, or their proxy leaves it out. */
  readonly deaf: ReadonlySet<string>;
}

/** What several simulated registers share: the documents, who lives, and the ways to the engine. */
export class Engine {
  readonly universe: Universe;
  readonly random: Random;
  readonly #states = new Map<string, { version: string; text: string; since: number }[]>();
  readonly #sessions = new Map<string, number>();
  readonly #watchers = new Set<Watcher>();
  readonly #cuts = new Map<string, number>();
  readonly #latencies = new Map<string, number>();
  #versions = 0;

  /** How its clock tells the time; null: it tells none. */
  readonly clock: EngineClock | null;
  #refusal = NO_REFUSAL;

  /** Told of every swap that stands. */
  readonly onSwap: (before: string | null, after: string, writer: Writer) => void;

  constructor(universe: Universe, clock: EngineClock | null, onSwap: Engine["onSwap"]) {
    this.onSwap = onSwap;
    this.clock = clock;
    this.universe = universe;
    this.random = universe.stream();
  }

  get keys(): string[] {
    return [...this.#states.keys()];
  }

  /** The document as it was so many milliseconds ago. */
  read(key: string, ago: number): Version {
    const states = this.#states.get(key) ?? [];
    const then = this.universe.now - ago;
    return states.findLast(({ since }) => since <= then) ?? { version: null, text: null };
  }

  swap(key: string, version: string | null, text: string, writer: Writer): Swap {
    if (this.read(key, 0).version !== version) return { outcome: "conflict" };
    this.onSwap(this.read(key, 0).text, text, writer);
    const next = { version: `v${++this.#versions}`, text, since: this.universe.now };
    this.#states.set(key, [...(this.#states.get(key) ?? []), next].slice(-STATES_KEPT));
    for (const watcher of [...this.#watchers]) {
      if (watcher.key !== key || watcher.version === next.version) continue;
      this.#watchers.delete(watcher);
      watcher.wake();
    }
    return { outcome: "done", version: next.version };
  }

  /** Calls `wake` once when the document has left the version. Returns the end of it. */
  watch(key: string, version: string | null, wake: () => void): () => void {
    const watcher = { key, version, wake };
    if (this.read(key, 0).version !== version) wake();
    else this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  renew(id: string, deadAfter: number): void {
    this.#sessions.set(id, this.universe.now + deadAfter);
  }

  end(id: string): void {
    this.#sessions.delete(id);
  }

  isAlive(id: string): boolean {
    return (this.#sessions.get(id) ?? 0) > this.universe.now;
  }

  /** The true time by its clock. */
  get time(): number {
    return this.universe.truth + (this.clock?.ahead ?? 0);
  }

  cut(host: string, ms: number): void {
    this.#cuts.set(host, Math.max(this.#cuts.get(host) ?? 0, this.universe.now + ms));
  }

  /** For so long this part of all calls is refused: nobody listens there, or it takes no more. */
  refuse(part: number, ms: number): void {
    this.#refusal = { part, until: this.universe.now + ms };
  }

  isRefusing(): boolean {
    const { part, until } = this.#refusal;
    return until > this.universe.now && this.random() < part;
  }

  heal(): void {
    this.#cuts.clear();
    this.#refusal = NO_REFUSAL;
  }

  /** Milliseconds until something passes again between a machine and the engine; 0: it does now. */
  cutFor(host: string): number {
    return Math.max(0, (this.#cuts.get(host) ?? 0) - this.universe.now);
  }

  /** Milliseconds that one way takes. */
  delay(host: string): number {
    const known = this.#latencies.get(host) ?? 0.2 + 80 * this.random() ** 4;
    this.#latencies.set(host, known);
    return known * (0.5 + this.random());
  }
}
