import { LockError } from "./errors.ts";
import { quote } from "./text.ts";

export { formatAge, formatDuration } from "./people/duration.js";

const UNITS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A year of waiting is a typing error, and larger numbers overflow somewhere down the line. */
export const DURATION_LIMIT_MS = 366 * 86_400_000;

/** Milliseconds, or null for `none`: without limit. */
export function parseDuration(text: string, name = "duration"): number | null {
  const trimmed = text.trim();
  if (trimmed === "none") return null;
  const milliseconds = /^\d+(\.\d+)?$/.test(trimmed) ? Number(trimmed) * 1_000 : addParts(trimmed);
  if (milliseconds === null) {
    throw new LockError(
      "BAD_DURATION",
      `The ${name} ${quote(text)} is not a duration: write 90 (seconds), 250ms, 30s, 5m, 2h, 1d, 1h30m or none.`,
    );
  }
  if (milliseconds > DURATION_LIMIT_MS) {
    throw new LockError(
      "BAD_DURATION",
      `The ${name} ${quote(text)} is longer than a year: write none for no limit.`,
    );
  }
  return Math.round(milliseconds);
}

function addParts(text: string): number | null {
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(text)) return null;
  let total = 0;
  let smallest = Number.POSITIVE_INFINITY;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) {
    const size = UNITS[unit as string] as number;
    // Units go from large to small, each once: 1m1h is most likely a mistake.
    if (size >= smallest) return null;
    smallest = size;
    total += Number(amount) * size;
  }
  return total;
}
