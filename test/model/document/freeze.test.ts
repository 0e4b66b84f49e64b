import { describe, expect, test } from "vitest";
import { run, violation } from "./scenario.ts";

const ADMIN = { isAdmin: true };

describe("a key that is frozen and thawed while others claim it", () => {
  test("nobody is served meanwhile, and everybody afterwards, in order", () => {
    const explored = run([{}, {}, ADMIN], {});
    expect(explored.grants).toBeGreaterThan(0);
    expect(explored.ends).toBeGreaterThan(0);
  });

  test("likewise where nobody is promoted, and one does not want to wait", () => {
    const explored = run([{ cancels: true }, { mayWait: false }, ADMIN], { known: "unknown" });
    expect(explored.ends).toBeGreaterThan(0);
  });

  test("one crashes around any step: who waits for a thaw that never comes is served by nobody", () => {
    const explored = run([{}, {}, ADMIN], { crashes: 1 });
    expect(explored.states).toBeGreaterThan(5_000);
  });

  test("an answer gets lost, and reads lag", () => {
    expect(run([{}, ADMIN], { lost: 1, lags: 1 }).ends).toBeGreaterThan(0);
  });

  test("the model finds a claim that does not see the freeze", () => {
    expect(violation([{}, ADMIN], { hideFreeze: true })).toMatch(
      /while the key was frozen|freeze is gone/,
    );
  });
});
