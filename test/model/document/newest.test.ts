import { describe, expect, test } from "vitest";
import { run, violation } from "./scenario.ts";

const NEWEST = { newest: true };

describe("claims that want to be the newest", () => {
  test("end the older ones that wait, tell them, and never a holder", () => {
    const explored = run([NEWEST, NEWEST, NEWEST], {});
    expect(explored.grants).toBeGreaterThan(0);
    expect(explored.ends).toBeGreaterThan(0);
  });

  test("leave a claim in order of arrival alone, with a crash", () => {
    const explored = run([{}, NEWEST, NEWEST], { crashes: 1 });
    expect(explored.states).toBeGreaterThan(5_000);
  });

  test("one is cancelled, and nobody is promoted", () => {
    const explored = run([{ ...NEWEST, cancels: true }, NEWEST, {}], { known: "unknown" });
    expect(explored.ends).toBeGreaterThan(0);
  });

  test("an answer gets lost, and reads lag", () => {
    expect(run([{}, NEWEST, NEWEST], { lags: 1 }).ends).toBeGreaterThan(0);
    expect(run([NEWEST, NEWEST], { lost: 1, lags: 1 }).ends).toBeGreaterThan(0);
  });

  test("one that is not ready is ended by one that takes the free lock at once", () => {
    const early = { ...NEWEST, joins: true };
    expect(run([early, NEWEST, {}], {}).ends).toBeGreaterThan(0);
    const options = { known: "unknown", lost: 1 } as const;
    expect(run([early, NEWEST], options).ends).toBeGreaterThan(0);
  });

  test("one is slower than the grace: passed over, it ends nobody that came later", () => {
    const options = { known: "unknown", jumps: 1, timely: false } as const;
    expect(run([{}, NEWEST, NEWEST], options).ends).toBeGreaterThan(0);
  });
});

describe("the model finds", () => {
  test("a claim in order of arrival that was ended", () => {
    expect(violation([{}, {}, NEWEST], { allNewest: true })).toMatch(/in order of arrival/);
  });

  test("a claim that is not told, and joins again", () => {
    const found = violation([{}, NEWEST, NEWEST], { hideSuperseded: true });
    expect(found).toMatch(/joined again/);
  });
});
