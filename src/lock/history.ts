import type { Metadata } from "./owner.ts";

/** How a hold ended. `dead`: its holder was found gone; `expired`: its ttl or lease ran out. */
export const HOLD_ENDS = ["released", "expired", "dead", "broken"] as const;
export type HoldEnd = (typeof HOLD_ENDS)[number];

/** One hold of a key that is over: what a store remembers of it. Plain JSON. */
export interface Hold {
  readonly owner: string;
  /** When it was acquired, ISO 8601. */
  readonly since: string;
  /** Milliseconds that its claim waited; null where that is not known. */
  readonly waited: number | null;
  /** Milliseconds from the grant to the end. */
  readonly held: number;
  readonly fence: number | null;
  readonly slot: number;
  readonly end: HoldEnd;
  readonly metadata: Metadata;
}

/**
 * Only a hold that was let go tells how long the work takes. One that was broken or whose holder
 * died lasted until somebody noticed, which may have been the next morning.
 */
export function completed(holds: readonly Hold[]): Hold[] {
  return holds.filter((hold) => hold.end === "released");
}

export interface Statistics {
  /** How many holds the figures are from. */
  readonly holds: number;
  /** Milliseconds. */
  readonly median: number;
  readonly ninety: number;
}

/** Null where no hold was let go. */
export function statisticsOf(holds: readonly Hold[]): Statistics | null {
  const times = completed(holds).map(({ held }) => held);
  if (times.length === 0) return null;
  return { holds: times.length, median: quantile(times, 0.5), ninety: quantile(times, 0.9) };
}

/** Between two values where none stands exactly there. */
export function quantile(values: readonly number[], part: number): number {
  return sortedQuantile(
    values.toSorted((one, other) => one - other),
    part,
  );
}

export function sortedQuantile(sorted: ArrayLike<number>, part: number): number {
  const place = (sorted.length - 1) * part;
  const below = sorted[Math.floor(place)] ?? Number.NaN;
  const above = sorted[Math.ceil(place)] ?? Number.NaN;
  return below + (above - below) * (place - Math.floor(place));
}

/** When it is a claim's turn. Times in seconds; a range, since nobody knows the point. */
export interface Estimate {
  readonly lower: number;
  readonly upper: number;
  /** How long the (first) holder's kind of hold usually lasts: the median. */
  readonly usual: number;
  /** How many holds this is made of. */
  readonly holds: number;
  /** Whose holds: those of the same workflow and job, or all of the key. */
  readonly basis: "job" | "key";
  /** A holder is over its usual time: it has lasted longer than nine of ten did. */
  readonly overdue: boolean;
}
