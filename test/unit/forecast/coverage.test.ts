import { expect, test } from "vitest";
import { estimateTurn } from "../../../src/forecast/estimate.ts";
import { coverageOf } from "./coverage.ts";
import { hold, holding, NOW } from "./holds.ts";
import { KINDS } from "./queues.ts";

/** For each of ten pairs of slots and place. */
const QUEUES = 80;

const figures = new Map<string, number>();

test.each(Object.keys(KINDS))(
  "the turn comes within the range in four of five queues: %s",
  (name) => {
    const part = coverageOf(name, QUEUES);
    figures.set(name, part);
    expect(part).toBeGreaterThanOrEqual(0.8);
  },
);

test("over all kinds it does in 85 of 100", () => {
  expect(figures.size).toBe(Object.keys(KINDS).length);
  const all = [...figures.values()].reduce((sum, part) => sum + part, 0) / figures.size;
  expect(all).toBeGreaterThanOrEqual(0.85);
});

test("a range is not wide for the sake of being right: where holds hardly differ, it is narrow", () => {
  const holds = Array.from({ length: 50 }, (_, index) => hold(6 + (index % 5) * 0.1));
  const steady = estimateTurn({ holds, holders: [holding(1)], position: 1, slots: 1, now: NOW });
  expect(steady?.lower).toBeGreaterThan(4.5 * 60);
  expect(steady?.upper).toBeLessThan(6 * 60);
});
