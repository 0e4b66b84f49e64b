import { completed, type Estimate, type Hold, sortedQuantile } from "../lock/history.ts";
import type { Metadata } from "../lock/owner.ts";
import type { Holder } from "../lock/status.ts";
import { Spread } from "./distribution.ts";
import { type Random, seededRandom } from "./seeded.ts";

export interface Question {
  /** Newest first. */
  readonly holds: readonly Hold[];
  readonly holders: readonly Pick<Holder, "since" | "metadata" | "reclaimable">[];
  /** The claims that wait before this one, in order, where they are known. */
  readonly ahead?: readonly { readonly metadata: Metadata }[];
  /** 1 is next. */
  readonly position: number;
  readonly slots: number;
  readonly now: number;
}

/** Fewer holds than this give no estimate: any range would be made up. */
const LEAST_HOLDS = 3;

const REPLICATES = 128;
/** Wider than the 80 % that the range promises: the past is a small sample, and it changes. */
const LOWER = 0.05;
const UPPER = 0.95;
/** So many of those ahead are played through one by one; the rest count as their average. */
const PLAYED_LIMIT = 24;
const OVERDUE_PART = 0.9;
/** More kinds than there can be holds: keeps the seeds of two replicates apart. */
const POOLS_LIMIT = 1_000;

/** When it will be a claim's turn. Null where too few holds are known, or no holder is in the way. */
export function estimateTurn(question: Question): Estimate | null {
  const { holders, slots, position, now } = question;
  const pools = new Pools(completed(question.holds));
  const key = pools.all;
  if (key === null || (holders.length < slots && position === 1)) return null;
  const running = holders.slice(0, slots).map((holder) => {
    const elapsed = holder.since === null ? null : Math.max(0, now - Date.parse(holder.since));
    return { pool: pools.of(holder.metadata) ?? key, elapsed, over: holder.reclaimable !== null };
  });
  const before = position - 1;
  const waiting = Array.from({ length: Math.min(before, PLAYED_LIMIT) }, (_, place) => {
    const metadata = question.ahead?.[place]?.metadata;
    return (metadata === undefined ? null : pools.of(metadata)) ?? key;
  });
  const used = [...new Set([...running.map(({ pool }) => pool), ...waiting])];
  const turns = new Float64Array(REPLICATES);
  for (let replicate = 0; replicate < REPLICATES; replicate++) {
    // Seeded by its number alone: a place further back meets the same future, only more of it.
    for (const { spread, number } of used) {
      spread.begin(seededRandom(replicate * POOLS_LIMIT + number + 1));
    }
    const future = playThrough(running, waiting, slots, seededRandom(replicate * POOLS_LIMIT));
    turns[replicate] = future.turn + (before - waiting.length) * (future.average / slots);
  }
  turns.sort();
  const isKey = used.includes(key);
  const holds = isKey ? key.times.length : used.reduce((sum, { times }) => sum + times.length, 0);
  return {
    lower: Math.floor(sortedQuantile(turns, LOWER) / 1_000),
    upper: Math.ceil(sortedQuantile(turns, UPPER) / 1_000),
    likely: Math.round(sortedQuantile(turns, 0.5) / 1_000),
    usual: Math.round(sortedQuantile((running[0]?.pool ?? key).sorted, 0.5) / 1_000),
    holds,
    basis: isKey ? "key" : "job",
    overdue: running.some(
      ({ pool, elapsed }) => (elapsed ?? 0) > sortedQuantile(pool.sorted, OVERDUE_PART),
    ),
  };
}

interface Running {
  readonly pool: Pool;
  /** Null: not known. */
  readonly elapsed: number | null;
  /** Its holder is dead: the next in line takes it at once. */
  readonly over: boolean;
}

/** One possible future: when the claim behind all of these gets a slot. Milliseconds. */
function playThrough(
  running: readonly Running[],
  waiting: readonly Pool[],
  slots: number,
  random: Random,
): { turn: number; average: number } {
  const free = running.map((holder) => (holder.over ? 0 : remaining(holder, random)));
  while (free.length < slots) free.push(0);
  let sum = 0;
  for (const pool of waiting) {
    const next = earliest(free);
    const time = pool.spread.draw(0, random);
    free[next] = (free[next] as number) + time;
    sum += time;
  }
  return { turn: free[earliest(free)] as number, average: sum / Math.max(1, waiting.length) };
}

function remaining({ pool, elapsed }: Running, random: Random): number {
  if (elapsed !== null) return pool.spread.draw(elapsed, random) - elapsed;
  // It is not known when the hold began: this moment is anywhere in it, by chance.
  return pool.spread.draw(0, random) * random();
}

function earliest(free: readonly number[]): number {
  let first = 0;
  for (let slot = 1; slot < free.length; slot++) {
    if ((free[slot] as number) < (free[first] as number)) first = slot;
  }
  return first;
}

interface Pool {
  readonly number: number;
  readonly times: readonly number[];
  readonly sorted: readonly number[];
  readonly spread: Spread;
}

/** Holds by workflow and job, each kind with enough of them; and all together. */
class Pools {
  readonly all: Pool | null;
  readonly #kinds = new Map<string, Pool>();

  constructor(holds: readonly Hold[]) {
    this.all = holds.length < LEAST_HOLDS ? null : poolOf(holds, 0);
    for (const [kind, members] of Map.groupBy(holds, ({ metadata }) => kindOf(metadata))) {
      if (kind === null || members.length < LEAST_HOLDS) continue;
      this.#kinds.set(kind, poolOf(members, this.#kinds.size + 1));
    }
  }

  of(metadata: Metadata): Pool | null {
    const kind = kindOf(metadata);
    return kind === null ? null : (this.#kinds.get(kind) ?? null);
  }
}

function poolOf(holds: readonly Hold[], number: number): Pool {
  const times = holds.map(({ held }) => held);
  const sorted = times.toSorted((one, other) => one - other);
  return { number, times, sorted, spread: new Spread(times) };
}

/** Null where neither is known: such holds are of no kind. */
function kindOf({ repository, workflow, job }: Metadata): string | null {
  return workflow === undefined && job === undefined
    ? null
    : JSON.stringify([repository, workflow, job]);
}
