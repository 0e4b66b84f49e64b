import { describe, expect, test } from "vitest";
import {
  formatRange,
  holdersInLine,
  pictureOf,
  turnIn,
  waitingInLine,
} from "../../../src/forecast/words.ts";
import type { Estimate } from "../../../src/lock/history.ts";
import { holder } from "./holds.ts";

const NOW = Date.parse("2026-11-16T10:04:10.000Z");

const estimate: Estimate = {
  lower: 480,
  upper: 700,
  usual: 360,
  holds: 12,
  basis: "job",
  overdue: false,
};

describe("a range of time", () => {
  test.each([
    [0, 0, "within 5 s"],
    [0, 31, "within 35 s"],
    [12, 31, "in about 10 to 35 s"],
    [20, 20, "in about 20 s"],
    [59, 99, "in about 55 to 100 s"],
    [59, 101, "within 2 min"],
    [61, 130, "in about 1 to 3 min"],
    [360, 660, "in about 6 to 11 min"],
    [540, 600, "in about 9 to 10 min"],
    [3_600, 7_300, "in about 1 to 2.5 h"],
    [100, 86_400 * 3, "within 72 h"],
    [86_400 * 2, 86_400 * 20, "in about 2 to 20 d"],
  ])("%i to %i s is %s: in one unit, rounded outwards", (lower, upper, text) => {
    expect(formatRange(lower, upper)).toBe(text);
  });
});

test("that there is an estimate, and that a holder is late, is news; a new figure is not", () => {
  const progress = { position: 1, waiting: 1, holders: [holder("a", 0)] };
  const pictures = [
    progress,
    { ...progress, estimate },
    { ...progress, estimate: { ...estimate, lower: 1, upper: 2 } },
    { ...progress, estimate: { ...estimate, overdue: true } },
  ].map(pictureOf);
  expect(new Set(pictures).size).toBe(3);
  expect(pictures[1]).toBe(pictures[2]);
});

describe("the words of a waiting claim", () => {
  const progress = { position: 2, waiting: 2, holders: [holder("ci-github-812-1-deploy", 0)] };

  test("with an estimate: what is usual, and when it is its turn", () => {
    expect(waitingInLine("production", { ...progress, estimate }, NOW)).toBe(
      "waiting for production: 2nd in line; held by ci-github-812-1-deploy for 4m 10s, usually 6m; your turn in about 8 to 12 min",
    );
  });

  test("with a holder that is late, it says so", () => {
    expect(turnIn({ ...estimate, overdue: true })).toBe(
      "in about 8 to 12 min; a holder is over its usual time",
    );
  });

  test("without one there is no word of it", () => {
    const bare = "waiting for k: 2nd in line; held by ci-github-812-1-deploy for 4m 10s";
    expect(waitingInLine("k", progress, NOW)).toBe(bare);
    expect(waitingInLine("k", { ...progress, estimate: null }, NOW)).toBe(bare);
  });

  test("trouble is not what the past was like: no turn is promised then", () => {
    const line = waitingInLine("k", { ...progress, estimate, trouble: "stuck" }, NOW);
    expect(line).toMatch(/; stuck$/);
    expect(line).not.toContain("your turn");
  });

  test("of several holders the first is compared with what is usual", () => {
    expect(holdersInLine([holder("a", 0), holder("b", 0)], NOW, estimate)).toBe(
      "a for 4m 10s, usually 6m; b for 4m 10s",
    );
  });
});
