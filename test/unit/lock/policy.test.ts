import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isLockError } from "../../../src/lock/errors.ts";
import { checkSlot, checkSlots, parseSlots, slotsMismatch } from "../../../src/lock/request.ts";
import { byteLength, cleanText, cutToBytes, hasControl, quote } from "../../../src/lock/text.ts";
import { nextFence } from "../../../src/lock/time.ts";
import { defaultTtlSeconds, parseEnvironment, parsePurpose } from "../../../src/lock/ttl.ts";
import { anyText } from "./arbitraries.ts";

function codeOf(call: () => unknown): string | undefined {
  try {
    call();
    return undefined;
  } catch (error) {
    return isLockError(error) ? error.code : String(error);
  }
}

test.each([
  ["local", "interactive", 3_600],
  ["local", "automated", 1_800],
  ["local", "emergency", 300],
  ["ci", "automated", 86_400],
  ["ci", "interactive", 3_600],
  ["ci", "emergency", 300],
  ["cloud", "interactive", 7_200],
  ["cloud", "automated", 14_400],
  ["cloud", "emergency", 300],
  ["container", "interactive", 1_800],
  ["container", "automated", 3_600],
  ["container", "emergency", 300],
] as const)("the ttl of %s, %s is %s s", (environment, purpose, seconds) => {
  expect(defaultTtlSeconds(environment, purpose)).toBe(seconds);
});

test("unknown environments and purposes are refused by name", () => {
  expect(parseEnvironment("ci")).toBe("ci");
  expect(parsePurpose("emergency")).toBe("emergency");
  expect(() => parseEnvironment("CI")).toThrow('"CI"');
  expect(() => parsePurpose("")).toThrow("interactive, automated, emergency");
});

describe("fence", () => {
  test("follows the clock in microseconds, also without a memory", () => {
    expect(nextFence(null, 1_763_287_200_001)).toBe(1_763_287_200_001_000);
    expect(nextFence(5, 1_763_287_200_001.9)).toBe(1_763_287_200_001_000);
  });

  test("grows when the clock stands still or went back", () => {
    expect(nextFence(1_763_287_200_001_000, 1_763_287_200_001)).toBe(1_763_287_200_001_001);
    expect(nextFence(1_763_287_200_001_000, 0)).toBe(1_763_287_200_001_001);
  });

  test("always grows, and is a safe integer, whatever the clock does until 2255", () => {
    const clock = fc.array(fc.double({ min: 0, max: Date.UTC(2255, 0), noNaN: true }));
    fc.assert(
      fc.property(clock, (times) => {
        let last: number | null = null;
        for (const now of times) {
          const next = nextFence(last, now);
          expect(Number.isSafeInteger(next)).toBe(true);
          if (last !== null) expect(next).toBeGreaterThan(last);
          last = next;
        }
      }),
    );
  });
});

describe("slots", () => {
  test.each(["1", "2", " 7 ", "1000"])("%j is a number of slots", (text) => {
    expect(parseSlots(text)).toBe(Number(text));
  });

  test.each(["0", "-1", "1.5", "x", "", "1e3", "1001", "0x2", "9999999"])("%j is not", (text) => {
    expect(codeOf(() => parseSlots(text))).toBe("BAD_SLOTS");
    expect(() => parseSlots(text)).toThrow("1 to 1000");
  });

  test("as numbers of a library call", () => {
    expect(checkSlots(3)).toBe(3);
    for (const wrong of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 1_001])
      expect(codeOf(() => checkSlots(wrong))).toBe("BAD_SLOTS");
  });

  test("one slot counts from 0", () => {
    expect(checkSlot(0)).toBe(0);
    expect(checkSlot(999)).toBe(999);
    for (const wrong of [-1, 0.5, 1_000, 1e15, Number.NaN])
      expect(codeOf(() => checkSlot(wrong))).toBe("BAD_SLOTS");
  });

  test("a mismatch names both numbers", () => {
    const error = slotsMismatch("production", 3, 2);
    expect(error.code).toBe("SLOTS_MISMATCH");
    expect(error.message).toContain("slots 2");
    expect(error.message).toContain("slots 3");
  });
});

describe("text", () => {
  test("cleaning replaces each control character by one space and nothing else", () => {
    expect(cleanText("a\r\nb\u0000\u007f\u009fc🚀\u2028")).toBe("a  b   c🚀\u2028");
    fc.assert(
      fc.property(anyText, (text) => {
        const clean = cleanText(text);
        expect(hasControl(clean)).toBe(false);
        expect(clean).toHaveLength(text.length);
      }),
    );
  });

  test("cutting keeps whole characters and the limit", () => {
    expect(cutToBytes("a🚀b", 4)).toBe("a");
    expect(cutToBytes("a🚀b", 5)).toBe("a🚀");
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.nat(40), (text, limit) => {
        const cut = cutToBytes(text, limit);
        expect(text.startsWith(cut)).toBe(true);
        expect(cut.isWellFormed()).toBe(true);
        expect(byteLength(cut)).toBeLessThanOrEqual(limit);
      }),
    );
  });

  test("a quoted text shows no control character and is short", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const shown = quote(text);
        expect(hasControl(shown)).toBe(false);
        expect(shown.startsWith('"')).toBe(true);
      }),
    );
    expect(quote("x".repeat(100), 10)).toBe(`"${"x".repeat(10)}"…`);
  });
});
