import { byteLength } from "../../lock/text.ts";
import type { Claim } from "../table/claim.ts";
import type { EndReason } from "../table/ends.ts";
import type { LockTable } from "../table/table.ts";
import type { Observer } from "../table/types.ts";
import { shownKey } from "./describe.ts";
import { escapeLabel, head } from "./metrics.ts";

/** How many keys have series of their own. Each is kept by a monitoring server for weeks. */
export const KEYS_LIMIT = 100;
/** A key that was free for so long gives its place to another, where places are short. */
const FORGET_MS = 3_600_000;
/** A longer key is counted with the rest: a label is read by people. */
const LABEL_BYTES_LIMIT = 200;
/** All keys without series of their own, taken together; also one that is called so. */
const REST = "other";

/** What happened to a key, or to the rest of them, since the server started. Times are in milliseconds. */
class Tally {
  grants = 0;
  holds = 0;
  losses = 0;
  waited = 0;
  held = 0;
  /** By the monotonic clock: the last change. */
  seen = 0;
}

interface Sample {
  readonly label: string;
  readonly tally: Tally;
  readonly holders: number;
  readonly waiters: number;
  readonly frozen: number;
}

const COUNTERS: readonly (readonly [string, string, (tally: Tally) => number])[] = [
  ["grants", "Leases granted, by key.", ({ grants }) => grants],
  ["holds", "Leases that ended, by key.", ({ holds }) => holds],
  ["losses", "Leases that ended without a release, by key.", ({ losses }) => losses],
  ["wait_seconds", "Time that granted claims had waited, by key.", ({ waited }) => waited / 1_000],
  ["hold_seconds", "Time from grants to the ends of leases, by key.", ({ held }) => held / 1_000],
];

const GAUGES: readonly (readonly [string, string, (sample: Sample) => number])[] = [
  ["holders", "Leases held now, by key.", ({ holders }) => holders],
  ["waiters", "Claims waiting in line now, by key.", ({ waiters }) => waiters],
  ["frozen", "1 while the key is frozen; for the rest, how many are.", ({ frozen }) => frozen],
];

/**
 * Counts what happens to single keys, for Prometheus. Clients make up keys, often one a branch, so only
 * so many have series of their own: the first, and later those that took the place of unused ones.
 */
export class KeyMetrics implements Observer {
  readonly #tallies = new Map<string, Tally>();
  readonly #rest = new Tally();
  readonly #clock: { now(): number; monotonic(): number };

  constructor(clock: { now(): number; monotonic(): number }) {
    this.#clock = clock;
  }

  granted(claim: Claim): void {
    const tally = this.#tallyOf(claim.entry.key);
    tally.grants += 1;
    tally.waited += claim.waited;
  }

  ended(claim: Claim, reason: EndReason, wasHeld: boolean): void {
    if (!wasHeld) return;
    const tally = this.#tallyOf(claim.entry.key);
    tally.holds += 1;
    tally.held += Math.max(0, this.#clock.now() - claim.since);
    if (reason !== "released") tally.losses += 1;
  }

  render(table: LockTable): string {
    this.#forgetUnused(table);
    const samples = this.#samples(table);
    let text = "";
    for (const [name, help, read] of GAUGES) {
      text += head(`holdfast_key_${name}`, "gauge", help);
      for (const sample of samples) text += `holdfast_key_${name}${sample.label} ${read(sample)}\n`;
    }
    for (const [name, help, read] of COUNTERS) {
      text += head(`holdfast_key_${name}_total`, "counter", help);
      for (const { label, tally } of samples) {
        text += `holdfast_key_${name}_total${label} ${read(tally)}\n`;
      }
    }
    return text;
  }

  #samples(table: LockTable): Sample[] {
    let [holders, waiters, frozen] = [table.held, table.waiting, 0];
    for (const { freeze } of table.busyEntries()) if (freeze !== null) frozen += 1;
    const samples = Array.from(this.#tallies, ([key, tally]): Sample => {
      const entry = table.find(key);
      const sample = {
        label: labelOf(shownKey(key)),
        tally,
        holders: entry?.holders.size ?? 0,
        waiters: entry?.waiters.size ?? 0,
        frozen: entry === undefined || entry.freeze === null ? 0 : 1,
      };
      holders -= sample.holders;
      waiters -= sample.waiters;
      frozen -= sample.frozen;
      return sample;
    });
    samples.push({ label: labelOf(REST), tally: this.#rest, holders, waiters, frozen });
    return samples;
  }

  #tallyOf(key: string): Tally {
    const tally = this.#tallies.get(key) ?? this.#add(key);
    tally.seen = this.#clock.monotonic();
    return tally;
  }

  #add(key: string): Tally {
    const isFull = this.#tallies.size >= KEYS_LIMIT;
    if (isFull || key === REST || byteLength(key) > LABEL_BYTES_LIMIT) return this.#rest;
    const tally = new Tally();
    this.#tallies.set(key, tally);
    return tally;
  }

  /** Makes room, at a question and not at a grant, which must cost nothing. */
  #forgetUnused(table: LockTable): void {
    if (this.#tallies.size < KEYS_LIMIT) return;
    const before = this.#clock.monotonic() - FORGET_MS;
    for (const [key, { seen }] of this.#tallies) {
      if (seen < before && table.find(key)?.idle !== false) this.#tallies.delete(key);
    }
  }
}

function labelOf(key: string): string {
  return `{key="${escapeLabel(key)}"}`;
}
