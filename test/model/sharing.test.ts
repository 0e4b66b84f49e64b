import { describe, expect, test } from "vitest";
import { run } from "./scenario.ts";

const TWO = { slots: 2 };

describe("claims of lock files of weight 1 and 2 of 2 slots, in two priorities", () => {
  test("each may crash around every step: no half of a lock, in order", () => {
    const explored = run([{ weight: 2 }, { cancels: true }, { weight: 2 }], { ...TWO, crashes: 1 });
    expect(explored.states).toBeGreaterThan(10_000);
    expect(explored.ends).toBeGreaterThan(100);
  });

  test("a higher priority goes first, a heavy one is not passed by a lighter of its own", () => {
    const explored = run([{}, { weight: 2 }, { weight: 2, priority: 1 }], { ...TWO, crashes: 1 });
    expect(explored.states).toBeGreaterThan(10_000);
  });

  test("one that was passed nine times is passed once more, and then goes first", () => {
    const high = { priority: 1 };
    const explored = run([{}, high, { ...high, cancels: true }], { passesAtStart: 9 });
    expect(explored.grants).toBeGreaterThan(0);
  });

  test("one joins early: it is passed, keeps its place and takes nothing before it is ready", () => {
    const early = { joins: true, cancels: true, weight: 2 };
    const explored = run([early, {}, { priority: 1 }], { ...TWO, crashes: 1 });
    expect(explored.states).toBeGreaterThan(10_000);
  });
});
