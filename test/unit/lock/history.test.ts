import { describe, expect, test } from "vitest";
import { readHold, readHolds, sortedQuantile, statisticsOf } from "../../../src/lock/history.ts";
import { hold } from "../forecast/holds.ts";

describe("statistics", () => {
  test("median and 90 % of the holds that were let go", () => {
    const holds = [1, 4, 3, 2].map((minutes) => hold(minutes));
    expect(statisticsOf(holds)).toEqual({ holds: 4, median: 150_000, ninety: 240_000 });
    expect(statisticsOf([...holds, hold(900, { end: "dead" })])).toEqual(statisticsOf(holds));
  });

  test("one hold is its own median; none has none", () => {
    expect(statisticsOf([hold(2)])).toEqual({ holds: 1, median: 120_000, ninety: 120_000 });
    expect(statisticsOf([])).toBeNull();
    expect(statisticsOf([hold(1, { end: "broken" })])).toBeNull();
  });

  test("nine of ten, or more, lasted no longer than it says, and one less would be too few", () => {
    for (let count = 1; count <= 50; count++) {
      const holds = Array.from({ length: count }, (_, index) => hold(index + 1));
      const { ninety } = statisticsOf(holds) ?? { ninety: 0 };
      expect(holds.filter(({ held }) => held <= ninety).length / count).toBeGreaterThanOrEqual(0.9);
      expect(holds.filter(({ held }) => held < ninety).length / count).toBeLessThan(0.9);
    }
  });

  test("a quantile is between two values where none fits", () => {
    expect(sortedQuantile([10, 20, 30], 0.5)).toBe(20);
    expect(sortedQuantile([10, 20, 30], 0)).toBe(10);
    expect(sortedQuantile([10, 20, 30], 0.75)).toBe(25);
    expect(sortedQuantile([10, 20, 30], 1)).toBe(30);
  });
});

describe("a hold that somebody else wrote", () => {
  test("is taken as it is", () => {
    const whole = hold(3, { metadata: { job: "web", run_attempt: 1 } });
    expect(readHold(JSON.parse(JSON.stringify(whole)))).toEqual(whole);
  });

  test.each([
    ["nothing", null],
    ["text", "hold"],
    ["no owner", { ...hold(1), owner: undefined }],
    ["no time", { ...hold(1), since: "yesterday" }],
    ["a negative time", { ...hold(1), held: -1 }],
    ["a time that is none", { ...hold(1), held: "60000" }],
    ["an unknown end", { ...hold(1), end: "vanished" }],
  ])("is left out with %s", (_, value) => {
    expect(readHold(value)).toBeNull();
  });

  test("loses what is not plain, and keeps the rest", () => {
    const odd = {
      ...hold(1),
      owner: "a\u001b[2Jb",
      waited: "long",
      fence: 1.5,
      slot: null,
      metadata: { job: "web", nested: {} },
      more: 1,
    };
    expect(readHold(odd)).toEqual({
      ...hold(1),
      owner: "a [2Jb",
      waited: null,
      fence: null,
      slot: 0,
      metadata: { job: "web" },
    });
  });

  test("of a list at most fifty are taken, of anything else none", () => {
    expect(readHolds(Array.from({ length: 90 }, () => hold(1)))).toHaveLength(50);
    expect(readHolds([hold(1), "x", null])).toHaveLength(1);
    expect(readHolds({ length: 3 })).toEqual([]);
  });
});
