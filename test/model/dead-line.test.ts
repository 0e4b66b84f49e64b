import { expect, test } from "vitest";
import { DEAD_AFTER } from "./memory-world.ts";
import { run } from "./scenario.ts";

test("behind dead claims of another machine a newcomer waits for one silence, however many", () => {
  for (const length of [1, 2, 5, 20]) {
    const options = {
      deadInLine: { length, where: "elsewhere" },
      grantedWithin: DEAD_AFTER,
    } as const;
    expect(run([{}, {}], { ...options, atEnd: () => {} }).grants).toBeGreaterThan(0);
  }
});

test("behind stopped claims of this machine likewise, once the free lock was seen", () => {
  for (const length of [1, 2, 4]) {
    const deadInLine = { length, where: "stopped" } as const;
    const options = { deadInLine, grantedWithin: 2 * DEAD_AFTER, atEnd: () => {} };
    expect(run([{}, {}], options).grants).toBeGreaterThan(0);
  }
});

test("three living claims behind dead ones are served in order, and one may crash", () => {
  const deadInLine = { length: 3, where: "elsewhere" } as const;
  const explored = run([{}, {}, {}], { deadInLine, crashes: 1, atEnd: () => {} });
  expect(explored.states).toBeGreaterThan(1_000);
});
