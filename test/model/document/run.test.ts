import { describe, expect, test } from "vitest";
import { run, violation } from "./scenario.ts";

/** A process that claims for the run, and ends without a release. */
const OF_RUN = { run: "r" };
const BY_FORGE = { known: "job" } as const;

describe("a lock that belongs to a run", () => {
  test("is held by its processes together, and by nobody else until the run is over", () => {
    const explored = run([OF_RUN, OF_RUN, {}], BY_FORGE);
    expect(explored.grants).toBeGreaterThan(0);
    expect(explored.ends).toBeGreaterThan(0);
  });

  test("likewise where one crashes around any step, and time passes where nobody moves", () => {
    // Its place in line counts as that of the run, which may go on: it is passed over after the grace.
    const options = { ...BY_FORGE, crashes: 1, jumps: 3 };
    expect(run([OF_RUN, OF_RUN, {}], options).states).toBeGreaterThan(5_000);
  });

  test("likewise where an answer gets lost, and reads lag", () => {
    expect(run([OF_RUN, {}], { ...BY_FORGE, lost: 1, lags: 1 }).ends).toBeGreaterThan(0);
    expect(run([OF_RUN, OF_RUN], { ...BY_FORGE, lost: 1, lags: 1 }).ends).toBeGreaterThan(0);
  });

  test("is shared while the key is frozen, and taken by nobody", () => {
    expect(run([OF_RUN, OF_RUN, { isAdmin: true }], BY_FORGE).ends).toBeGreaterThan(0);
  });

  test("the model finds a lock of another that is shared", () => {
    expect(violation([OF_RUN, {}], { ...BY_FORGE, allOfRun: "r" })).toMatch(/holders at once/);
  });
});
