import { cleanText } from "../../lock/text.ts";
import { wholeNumber } from "./fields.ts";
import type { Place } from "./place.ts";
import { type Steps, step } from "./world.ts";

/** What a key remembers while nobody holds it. */
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
  const match = /^fence=(\d{16}) slots=(\d{4})\n(?:key=([^\n]*)\n)?/.exec(text);
  if (!match) return { fence: null, slots: 1, key: null };
  return {
    fence: wholeNumber(match[1]),
    slots: Math.max(1, Number(match[2])),
    key: match[3] === undefined ? null : cleanText(match[3]),
  };
}

export function* remember(place: Place, fence: number, slots: number): Steps<void> {
  const line = `fence=${String(fence).padStart(16, "0")} slots=${String(slots).padStart(4, "0")}\n`;
  yield* step("put", place.fence, `${line}key=${place.key}\n`);
}
