import { describe, expect, test } from "vitest";
import { run, violation } from "./scenario.ts";

const ADMIN = { isAdmin: true };

describe("lock files that are frozen and thawed while others claim them", () => {
  test("nobody is served meanwhile, and everybody afterwards, in order", () => {
    const explored = run([{ beats: true }, { cancels: true }, ADMIN], {});
    expect(explored.grants).toBeGreaterThan(0);
    expect(explored.ends).toBeGreaterThan(0);
  });

  test("each may crash around every step: nobody is served without a thaw, and nothing is left", () => {
    const explored = run([{}, { mayWait: false }, ADMIN], { crashes: 2 });
    expect(explored.states).toBeGreaterThan(1_000);
  });

  test("one is stopped while it waits, and does not lose its place to a freeze", () => {
    expect(run([{ pauses: true }, {}, ADMIN], {}).ends).toBeGreaterThan(0);
  });

  test("the model finds a claim that does not see the freeze", () => {
    expect(violation([{}, ADMIN], { hideFreeze: 1 }).message).toMatch(/while the key was frozen/);
  });
});
