import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DURATION_LIMIT_MS, formatDuration, parseDuration } from "../../../src/lock/duration.ts";
import { isLockError } from "../../../src/lock/errors.ts";
import { anyText } from "./arbitraries.ts";

function codeOf(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    return isLockError(error) ? error.code : `not a LockError: ${error}`;
  }
  return "no error";
}

describe("parseDuration", () => {
  test.each([
    ["90", 90_000],
    ["250ms", 250],
    ["30s", 30_000],
    ["5m", 300_000],
    ["2h", 7_200_000],
    ["1d", 86_400_000],
    ["1h30m", 5_400_000],
    ["1d2h3m4s5ms", 93_784_005],
    ["0", 0],
    ["0s", 0],
    ["1.5", 1_500],
    ["1.5h", 5_400_000],
    [" 10s ", 10_000],
    ["none", null],
  ])("%s is %s ms", (text, milliseconds) => {
    expect(parseDuration(text)).toBe(milliseconds);
  });

  test.each([
    "",
    " ",
    "-1",
    "-5m",
    "5 parsecs",
    "5 m",
    "m",
    "1m1h",
    "1m1m",
    "1e3",
    "0x10",
    "Infinity",
    "NaN",
    "None",
    "5M",
    "1,5s",
    "٣",
    "400d",
    "9".repeat(400),
  ])("%j is an error that names it", (text) => {
    expect(codeOf(() => parseDuration(text))).toBe("BAD_DURATION");
    expect(() => parseDuration(text, "timeout")).toThrow("The timeout ");
  });

  test("any text is a duration within the limit or a coded error", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        try {
          const milliseconds = parseDuration(text);
          if (milliseconds === null) return;
          expect(Number.isInteger(milliseconds)).toBe(true);
          expect(milliseconds).toBeGreaterThanOrEqual(0);
          expect(milliseconds).toBeLessThanOrEqual(DURATION_LIMIT_MS);
        } catch (error) {
          expect(isLockError(error, "BAD_DURATION")).toBe(true);
        }
      }),
    );
  });

  test("a sum of units in falling order is their sum", () => {
    const amount = fc.nat(59);
    fc.assert(
      fc.property(amount, amount, amount, amount, (d, h, m, s) => {
        const expected = (((d * 24 + h) * 60 + m) * 60 + s) * 1_000;
        expect(parseDuration(`${d}d${h}h${m}m${s}s`)).toBe(expected);
      }),
    );
  });
});

describe("formatDuration", () => {
  test.each([
    [0, "0s"],
    [-5, "0s"],
    [350, "350ms"],
    [999.9, "999ms"],
    [1_000, "1s"],
    [250_000, "4m 10s"],
    [7_200_000, "2h"],
    [3_605_000, "1h"],
    [90_061_000, "1d 1h"],
  ])("%s ms is %s", (milliseconds, text) => {
    expect(formatDuration(milliseconds)).toBe(text);
  });

  test("what it writes is read back as the same time, less what two units cannot say", () => {
    fc.assert(
      fc.property(fc.nat(DURATION_LIMIT_MS), (milliseconds) => {
        const back = parseDuration(formatDuration(milliseconds).replaceAll(" ", "")) as number;
        const largest = [86_400_000, 3_600_000, 60_000, 1_000].find((unit) => milliseconds >= unit);
        const lost = milliseconds - back;
        expect(lost).toBeGreaterThanOrEqual(0);
        expect(lost).toBeLessThan(
          { 86400000: 3_600_000, 3600000: 60_000, 60000: 1_000, 1000: 1_000 }[largest ?? 0] ?? 1,
        );
      }),
    );
  });
});
