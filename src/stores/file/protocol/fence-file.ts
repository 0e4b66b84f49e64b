import { cleanText } from "../../../lock/text.ts";
import type { Place } from "../disk/place.ts";
import { wholeNumber } from "../format/fields.ts";
import { type Steps, step } from "./world.ts";

const FENCE_DIGITS = 16;
const SLOTS_DIGITS = 4;

/** What a key remembers while it is free. */
export interface Memory {
  readonly fence: number | null;
  readonly slots: number;
  readonly key: string | null;
}

/**
 * The fence file has a first line of fixed width, rewritten in place in one write, so that a crash
 * leaves either the old number or the new one. The key follows, for names that had to be cut.
 */
export function* recall(place: Place): Steps<Memory> {
  const view = yield* step("read", place.fence, "likely");
  return parseMemory(view === null ? "" : Buffer.from(view.content).toString("utf8"));
}

export function parseMemory(text: string): Memory {
  // Counted repeats would take every process that looks half a millisecond to compile.
  const [, fence, slots, key] = /^fence=(\d+) slots=(\d+)\n(?:key=([^\n]*)\n)?/.exec(text) ?? [];
  if (fence?.length !== FENCE_DIGITS || slots?.length !== SLOTS_DIGITS)
    return { fence: null, slots: 1, key: null };
  return {
    fence: wholeNumber(fence),
    slots: Math.max(1, Number(slots)),
    key: key === undefined ? null : cleanText(key),
  };
}

export function* remember(place: Place, fence: number, slots: number): Steps<void> {
  const line = `fence=${String(fence).padStart(FENCE_DIGITS, "0")} slots=${String(slots).padStart(SLOTS_DIGITS, "0")}\n`;
  yield* step("put", place.fence, `${line}key=${place.key}\n`);
}
