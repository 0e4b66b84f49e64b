import { describe, expect, test } from "vitest";
import { run, violation } from "./scenario.ts";

const NEWEST = { newest: true };

describe("claims of lock files that want to be the newest", () => {
  test("end the older ones that wait, tell them, and never a holder", () => {
    const each = { ...NEWEST, cancels: true };
    const explored = run([each, each, NEWEST], {});
    expect(explored.grants).toBeGreaterThan(0);
    expect(explored.ends).toBeGreaterThan(0);
  });

  test("leave a claim in order of arrival alone; each may crash around every step", () => {
    const explored = run([{}, { ...NEWEST, cancels: true }, NEWEST], { crashes: 2 });
    expect(explored.states).toBeGreaterThan(10_000);
  });

  test("one that is not ready is ended by one that takes the free lock at once", () => {
    const early = { ...NEWEST, joins: true };
    expect(run([early, NEWEST, {}], { crashes: 1 }).ends).toBeGreaterThan(0);
    expect(run([{ ...early, cancels: true }, NEWEST, early], {}).ends).toBeGreaterThan(0);
    expect(run([{ ...early, pauses: true }, early], { crashes: 1 }).ends).toBeGreaterThan(0);
  });

  test("one is stopped while it waits: passed over, it ends nobody that came later", () => {
    const explored = run([{ ...NEWEST, pauses: true }, NEWEST, {}], {});
    expect(explored.ends).toBeGreaterThan(0);
  });
});

describe("the model finds", () => {
  test("a claim in order of arrival that was ended", () => {
    const found = violation([{}, {}, NEWEST], { allNewest: true });
    expect(found.message).toMatch(/in order of arrival/);
  });

  test("a claim that is not told, and joins again", () => {
    const found = violation([{}, NEWEST, NEWEST], { hideSuperseded: true });
    expect(found.message).toMatch(/joined again/);
  });
});
