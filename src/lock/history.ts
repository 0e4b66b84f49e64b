import type { Metadata } from "./owner.ts";
import { readMetadata } from "./owner.ts";
import { cleanText } from "./text.ts";
import { readTime } from "./time.ts";

/** How a hold ended. `dead`: its holder was gone; `expired`: its ttl, or at a server its `dead-after`, was over. */
const HOLD_ENDS = ["released", "expired", "dead", "broken"] as const;
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
  /** Every slot that it had, if it had more than one. */
  readonly slots?: readonly number[];
  /** The names of its slots, if the key's slots had names. */
  readonly resources?: readonly string[];
  readonly end: HoldEnd;
  readonly metadata: Metadata;
  /** Why it was broken, and who broke it, where that is known. */
  readonly reason?: string;
  readonly by?: string;
}

/**
 * Only a hold that was released tells how long the work takes. A hold that was broken, or whose holder
 * died, lasted until somebody noticed; that may have been the next morning.
 */
export function completed(holds: readonly Hold[]): Hold[] {
  return holds.filter((hold) => hold.end === "released");
}

export interface Statistics {
  /** How many holds the figures are from. */
  readonly holds: number;
  /** Milliseconds. */
  readonly median: number;
  /** Nine of ten holds, or more, were no longer than this. */
  readonly ninety: number;
}

/** Null where no hold was released. */
export function statisticsOf(holds: readonly Hold[]): Statistics | null {
  const sorted = completed(holds)
    .map(({ held }) => held)
    .sort((one, other) => one - other);
  if (sorted.length === 0) return null;
  return { holds: sorted.length, median: sortedQuantile(sorted, 0.5), ninety: nineOfTen(sorted) };
}

/** The shortest hold that nine of ten were no longer than. A value between two would be true of fewer. */
export function nineOfTen(sorted: ArrayLike<number>): number {
  return sorted[Math.ceil((sorted.length * 9) / 10) - 1] ?? Number.NaN;
}

/** How many released holds it takes to say how long they usually are. */
const LEAST_HOLDS = 3;

/** How long holds usually take; null where there are too few to tell. */
export function usualOf(holds: readonly Hold[]): Statistics | null {
  const statistics = statisticsOf(holds);
  return statistics === null || statistics.holds < LEAST_HOLDS ? null : statistics;
}

/** Interpolates if no value is exactly at that point. */
export function sortedQuantile(sorted: ArrayLike<number>, part: number): number {
  const place = (sorted.length - 1) * part;
  const below = sorted[Math.floor(place)] ?? Number.NaN;
  const above = sorted[Math.ceil(place)] ?? Number.NaN;
  return below + (above - below) * (place - Math.floor(place));
}

/** When a claim's turn comes. Times in seconds; a range, since the exact time is not known. */
export interface Estimate {
  readonly lower: number;
  readonly upper: number;
  /** In half of all cases it is sooner. */
  readonly likely: number;
  /** How long the (first) holder's kind of hold usually lasts: the median. */
  readonly usual: number;
  /** How many holds this is made of. */
  readonly holds: number;
  /** Whose holds: those of the same workflow and job, or all of the key. */
  readonly basis: "job" | "key";
  /** A holder is over its usual time: it has held longer than nine of ten holds lasted. */
  readonly overdue: boolean;
}

/** How many holds an estimate uses: older ones say little about today. */
export const HISTORY_LIMIT = 50;

/** `key`: which key, if several are claimed together. */
export type ReadHistory = (key?: string) => Promise<readonly Hold[]>;

/** How a store's history of a key is read; null where the store remembers nothing. */
export function historyOf(
  store: { history?(key: string, options: { limit: number }): Promise<Hold[]> },
  key: string,
  limit = HISTORY_LIMIT,
): ReadHistory | null {
  const { history } = store;
  return history === undefined ? null : (other = key) => history.call(store, other, { limit });
}

/** Reads a hold from a server or a saved file, leniently: null if it is no hold. */
export function readHold(value: unknown): Hold | null {
  if (typeof value !== "object" || value === null) return null;
  const fields = value as Record<string, unknown>;
  const { owner, since, waited, held, fence, slot, end, metadata, reason, by } = fields;
  const { slots, resources } = fields;
  const time = readTime(since);
  if (typeof owner !== "string" || time === null || !isSpan(held) || !isHoldEnd(end)) return null;
  return {
    owner: cleanText(owner),
    since: time,
    waited: isSpan(waited) ? waited : null,
    held,
    fence: Number.isSafeInteger(fence) ? (fence as number) : null,
    slot: Number.isSafeInteger(slot) ? (slot as number) : 0,
    ...(isList(slots, Number.isSafeInteger) ? { slots: slots as number[] } : {}),
    ...(isList(resources, isText) ? { resources: (resources as string[]).map(cleanText) } : {}),
    end,
    metadata: readMetadata(metadata),
    ...(typeof reason === "string" ? { reason: cleanText(reason) } : {}),
    ...(typeof by === "string" ? { by: cleanText(by) } : {}),
  };
}

/** As many slots as a key can have. */
const LIST_LIMIT = 1_000;

function isList(value: unknown, isOne: (each: unknown) => boolean): boolean {
  return Array.isArray(value) && value.length <= LIST_LIMIT && value.every(isOne);
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}

/** How a broken lock is told to its holder; null where it is not known that it was broken. */
export function brokenWords({ reason, by }: { reason?: unknown; by?: unknown }): string | null {
  if (typeof reason !== "string") return null;
  const who = typeof by === "string" ? ` by ${cleanText(by)}` : "";
  return `it was broken${who} (${cleanText(reason)})`;
}

/** `limit`: how many were asked for; a server may say more. */
export function readHolds(value: unknown, limit = HISTORY_LIMIT): Hold[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, limit).flatMap((element) => readHold(element) ?? []);
}

/** A century: with a longer span a forecast would exceed the range of dates. */
const SPAN_LIMIT_MS = 36_525 * 86_400_000;

/** Whether a value is a plausible length of time, in milliseconds. */
export function isSpan(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= SPAN_LIMIT_MS;
}

function isHoldEnd(value: unknown): value is HoldEnd {
  return HOLD_ENDS.includes(value as HoldEnd);
}
