import { firstAbove } from "../lock/admission.ts";
import { sortedQuantile } from "../lock/history.ts";
import type { Random } from "./seeded.ts";

/** A hold this many holds back counts half as much as the last one: deployments grow. */
const HALF_LIFE_HOLDS = 8;
/** How far the next holds as a whole may differ from the past: a part of the spread, within a limit. */
const SHIFT_PER_SPREAD = 0.45;
const SHIFT_LIMIT = 0.2;
/** Beyond the longest hold that was seen: how far, as a part of the spread, and how heavy the tail. */
const EDGE_PER_SPREAD = 0.7;
const EDGE_LEAST = 0.08;
const TAIL_SHAPE = 2;
/** A hundred times the longest hold: nothing is known beyond it. */
const TAIL_LIMIT = Math.log(100);
/** The distance between the quartiles of a normal distribution, in standard deviations. */
const QUARTILES_APART = 1.35;

/**
 * How long a hold lasts, as a distribution that is made only from past holds.
 *
 * The lengths of n holds leave n + 1 gaps. The next hold falls into each gap with equal chance, whatever
 * the distribution. Within a gap all lengths are equally likely by their logarithm. Beyond the longest
 * hold a heavy tail begins: a holder far over the usual time is expected to hold for long. The chances
 * themselves are uncertain, and the future may differ from the past. So each replicate weighs the gaps
 * anew, and scales all lengths by one factor.
 */
export class Spread {
  readonly #logs: Float64Array;
  /** The weight of each gap before the random part: the gap below each hold, and the one above the longest. */
  readonly #shares: Float64Array;
  /** The weights of all gaps up to and with this one, in the present replicate. */
  readonly #sums: Float64Array;
  readonly #edge: number;
  readonly #shift: number;
  #scale = 1;

  /** Milliseconds, newest first; at least one. */
  constructor(times: readonly number[]) {
    const aged = times.map((time, age) => ({
      log: Math.log(Math.max(1, time)),
      share: 0.5 ** (age / HALF_LIFE_HOLDS),
    }));
    aged.sort((one, other) => one.log - other.log);
    this.#logs = Float64Array.from(aged, ({ log }) => log);
    this.#shares = Float64Array.from({ length: aged.length + 1 }, (_, gap) => {
      const below = (aged[gap - 1] ?? aged[gap])?.share ?? 1;
      return (below + (aged[gap]?.share ?? below)) / 2;
    });
    this.#sums = new Float64Array(aged.length + 1);
    // Like a standard deviation, but robust against outliers.
    const spread =
      (sortedQuantile(this.#logs, 0.75) - sortedQuantile(this.#logs, 0.25)) / QUARTILES_APART;
    this.#edge = Math.max(EDGE_LEAST, EDGE_PER_SPREAD * spread);
    this.#shift = Math.min(SHIFT_LIMIT, SHIFT_PER_SPREAD * spread);
  }

  /** Begins a replicate: all its holds use the same weights and factor. */
  begin(random: Random): void {
    this.#scale = Math.exp(this.#shift * normal(random));
    let sum = 0;
    for (let gap = 0; gap < this.#sums.length; gap++) {
      sum -= (this.#shares[gap] as number) * Math.log(random());
      this.#sums[gap] = sum;
    }
  }

  /** The whole length of a hold that has lasted `elapsed` so far. Milliseconds. */
  draw(elapsed: number, random: Random): number {
    const from = elapsed === 0 ? Number.NEGATIVE_INFINITY : Math.log(elapsed / this.#scale);
    const logs = this.#logs;
    const sums = this.#sums;
    const all = sums[logs.length] as number;
    // `elapsed` has used up a part of the gap that it lies in.
    const first = from === Number.NEGATIVE_INFINITY ? 0 : firstAbove(logs, from);
    const start = (sums[first] as number) - this.#weight(first) * this.#partAbove(first, from);
    const gap = Math.min(logs.length, firstAbove(sums, start + random() * (all - start)));
    const log = this.#within(gap, gap === first ? from : Number.NEGATIVE_INFINITY, random());
    return Math.max(elapsed, Math.exp(log) * this.#scale);
  }

  #weight(gap: number): number {
    return (this.#sums[gap] as number) - (this.#sums[gap - 1] ?? 0);
  }

  #partAbove(gap: number, from: number): number {
    if (from === Number.NEGATIVE_INFINITY) return 1;
    const logs = this.#logs;
    if (gap === logs.length) {
      return (1 + (from - (logs[gap - 1] as number)) / this.#edge) ** -TAIL_SHAPE;
    }
    const high = logs[gap] as number;
    if (gap === 0) return 1 - Math.exp((from - high) / this.#edge);
    const low = logs[gap - 1] as number;
    return high > low ? (high - from) / (high - low) : 1;
  }

  /** A length of the gap above `from`, by its rank there. */
  #within(gap: number, from: number, rank: number): number {
    const logs = this.#logs;
    if (gap === logs.length) {
      const longest = logs[gap - 1] as number;
      const over = Math.max(0, from - longest);
      const excess = (over + this.#edge) * rank ** (-1 / TAIL_SHAPE) - this.#edge;
      return longest + Math.min(excess, over + TAIL_LIMIT);
    }
    const high = logs[gap] as number;
    if (gap === 0) {
      const least = Math.exp((from - high) / this.#edge);
      return high + this.#edge * Math.log(least + (1 - least) * rank);
    }
    const low = Math.max(from, logs[gap - 1] as number);
    return low + (high - low) * rank;
  }
}

function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
}
