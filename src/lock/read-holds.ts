import { HOLD_ENDS, type Hold, type HoldEnd } from "./history.ts";
import { readMetadata } from "./owner.ts";
import { HISTORY_LIMIT } from "./read-history.ts";
import { cleanText } from "./text.ts";

/** Lenient, for what a server or a saved file says: null where it is no hold. */
export function readHold(value: unknown): Hold | null {
  if (typeof value !== "object" || value === null) return null;
  const { owner, since, waited, held, fence, slot, end, metadata } = value as Record<
    string,
    unknown
  >;
  if (typeof owner !== "string" || typeof since !== "string") return null;
  if (Number.isNaN(Date.parse(since)) || !isSpan(held) || !isHoldEnd(end)) return null;
  return {
    owner: cleanText(owner),
    since: new Date(since).toISOString(),
    waited: isSpan(waited) ? waited : null,
    held,
    fence: Number.isSafeInteger(fence) ? (fence as number) : null,
    slot: Number.isSafeInteger(slot) ? (slot as number) : 0,
    end,
    metadata: readMetadata(metadata),
  };
}

export function readHolds(value: unknown): Hold[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, HISTORY_LIMIT).flatMap((element) => readHold(element) ?? []);
}

function isSpan(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

function isHoldEnd(value: unknown): value is HoldEnd {
  return HOLD_ENDS.includes(value as HoldEnd);
}
