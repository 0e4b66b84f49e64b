import { describe, expect, test } from "vitest";
import { run, violation } from "./scenario.ts";

const TWO = { slots: 2 };

/** The second comes first once the fourth has passed it; until then it waits for the third. */
const OVERTAKEN = [{ weight: 2 }, { passed: 9 }, { priority: 1 }, { priority: 2 }];

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
    expect(run([{ passed: 9 }, high, high, high], {}).grants).toBeGreaterThan(0);
    expect(run(OVERTAKEN, TWO).grants).toBeGreaterThan(0);
  });

  test("one that may be passed no more goes first, though each may crash or cancel", () => {
    const high = { priority: 1, cancels: true };
    const lives = [{ passed: 10 }, high, { ...high, weight: 2 }];
    const explored = run(lives, { ...TWO, crashes: 1 });
    expect(explored.ends).toBeGreaterThan(100);
  });

  test("one joins early: it is passed, keeps its place and takes nothing before it is ready", () => {
    const early = { joins: true, cancels: true, weight: 2 };
    const explored = run([early, {}, { priority: 1 }], { ...TWO, crashes: 1 });
    expect(explored.states).toBeGreaterThan(10_000);
  });
});

describe("the model finds", () => {
  test("half of a lock that a crash left, where its files do not name each other", () => {
    const found = violation([{ weight: 2 }, {}, {}], { ...TWO, crashes: 1, hideTogether: true });
    expect(found.message).toMatch(/half held|failed|stuck/);
  });

  test("one that is passed too often, where nobody remembers it", () => {
    const high = { priority: 1 };
    const found = violation([{ passed: 10 }, high, high], { hidePasses: true });
    expect(found.message).toMatch(/which was passed 10 times/);
  });

  test("one that has come first by being passed, and sleeps for ever", () => {
    const found = violation(OVERTAKEN, { ...TWO, deafToPasses: true });
    expect(found.message).toMatch(/wait for ever/);
  });

  test("one that takes the lock before it is ready, and one that is not woken when it is", () => {
    const early = { joins: true };
    expect(violation([early, {}], { isEverybodyReady: true }).message).toMatch(
      /before it was ready/,
    );
    expect(violation([early, {}], { deafToReadiness: true }).message).toMatch(/wait for ever/);
  });
});
