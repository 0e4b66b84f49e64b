import { completed, type Estimate, type Hold, nineOfTen, sortedQuantile } from "../lock/history.ts";
import type { Metadata } from "../lock/owner.ts";
import type { Holder } from "../lock/status.ts";
import { Spread } from "./distribution.ts";
import { type Random, seededRandom } from "./seeded.ts";

export interface Question {
  /** Newest first. */
  readonly holds: readonly Hold[];
  readonly holders: readonly (Pick<Holder, "since" | "metadata" | "reclaimable"> & Heavy)[];
  /** The claims that are served before this one, in order, where they are known. */
  readonly ahead?: readonly (Heavy & { readonly metadata: Metadata; readonly ready?: boolean })[];
  /** How many slots the claim itself takes. Left out: 1. */
  readonly weight?: number;
  /** 1 is next. */
  readonly position: number;
  /** How many slots can be given out: slots that are frozen alone do not count. */
  readonly slots: number;
  readonly now: number;
}

/** How many slots somebody takes; left out: 1. */
interface Heavy {
  readonly weight?: number;
}

/** Fewer holds than this give no estimate: any range would be made up. */
const LEAST_HOLDS = 3;

const REPLICATES = 128;
/** Wider than the 80 % that the range promises: the past is a small sample, and it changes. */
const LOWER = 0.05;
const UPPER = 0.95;
/** How many claims ahead are simulated one by one; the rest count as their average. */
const PLAYED_LIMIT = 24;
/** More than there can be kinds of holds: so no two replicates share a seed. */
const POOLS_LIMIT = 1_000;

/** When it will be a claim's turn. Null where too few holds are known, or no holder is in the way. */
export function estimateTurn(question: Question): Estimate | null {
  const { holders, slots, now, weight = 1 } = question;
  const pools = new Pools(completed(question.holds));
  const key = pools.all;
  const known = (question.ahead ?? []).slice(0, question.position - 1);
  // It is not known when a claim becomes ready: until then it is passed.
  const ahead = known.filter(({ ready }) => ready !== false);
  const before = question.position - 1 - (known.length - ahead.length);
  const taken = holders.reduce((sum, holder) => sum + (holder.weight ?? 1), 0);
  // Too few slots are given out for it, or for one ahead: nobody knows when a freeze ends.
  const isKeptOut = [{ weight }, ...ahead].some((claim) => (claim.weight ?? 1) > slots);
  if (key === null || isKeptOut || (taken + weight <= slots && before === 0)) return null;
  const running = holders.slice(0, slots).map((holder) => {
    const elapsed = holder.since === null ? null : Math.max(0, now - Date.parse(holder.since));
    const pool = pools.of(holder.metadata) ?? key;
    return { pool, elapsed, over: holder.reclaimable !== null, weight: holder.weight ?? 1 };
  });
  const waiting = Array.from({ length: Math.min(before, PLAYED_LIMIT) }, (_, place) => {
    const claim = ahead[place];
    const pool = (claim === undefined ? null : pools.of(claim.metadata)) ?? key;
    return { pool, weight: claim?.weight ?? 1 };
  });
  const used = [...new Set([...running, ...waiting].map(({ pool }) => pool))];
  const turns = new Float64Array(REPLICATES);
  for (let replicate = 0; replicate < REPLICATES; replicate++) {
    // Seeded by its number alone: places further back get the same future, only a longer part of it.
    for (const { spread, number } of used) {
      spread.begin(seededRandom(replicate * POOLS_LIMIT + number + 1));
    }
    const random = seededRandom(replicate * POOLS_LIMIT);
    const future = playThrough({ running, waiting, weight, slots }, random);
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
    overdue: running.some(({ pool, elapsed }) => (elapsed ?? 0) > nineOfTen(pool.sorted)),
  };
}

interface Running {
  readonly pool: Pool;
  /** Null: not known. */
  readonly elapsed: number | null;
  /** Its holder is dead: the next in line takes it at once. */
  readonly over: boolean;
  readonly weight: number;
}

interface Line {
  readonly running: readonly Running[];
  readonly waiting: readonly { readonly pool: Pool; readonly weight: number }[];
  readonly weight: number;
  readonly slots: number;
}

/**
 * One possible future: when the claim behind all of these gets its slots, and how long one of them has
 * a slot on average, as often as it has slots. Milliseconds.
 */
function playThrough(
  { running, waiting, weight, slots }: Line,
  random: Random,
): { turn: number; average: number } {
  const free: number[] = [];
  for (const holder of running) {
    const until = holder.over ? 0 : remaining(holder, random);
    for (let slot = 0; slot < holder.weight && free.length < slots; slot++) free.push(until);
  }
  while (free.length < slots) free.push(0);
  free.sort((one, other) => one - other);
  let sum = 0;
  // No claim enters before one ahead that does not fit yet: so no turn comes before the turn ahead of it.
  let turn = 0;
  for (const claim of waiting) {
    turn = Math.max(turn, free[claim.weight - 1] ?? 0);
    const time = claim.pool.spread.draw(0, random);
    for (let slot = 0; slot < claim.weight; slot++) takeUntil(free, turn + time);
    sum += time * claim.weight;
  }
  turn = Math.max(turn, free[weight - 1] ?? 0);
  return { turn, average: sum / Math.max(1, waiting.length) };
}

/**
 * Takes the slot that is free first until the given time; the list stays in the order in which slots
 * become free.
 */
function takeUntil(free: number[], until: number): void {
  let place = 1;
  for (; place < free.length && (free[place] as number) < until; place++)
    free[place - 1] = free[place] as number;
  free[place - 1] = until;
}

function remaining({ pool, elapsed }: Running, random: Random): number {
  if (elapsed !== null) return pool.spread.draw(elapsed, random) - elapsed;
  // It is not known when the hold began: now is a random moment of it.
  return pool.spread.draw(0, random) * random();
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
