import { describe, expect, it } from "vitest";
import { Restartable } from "../../helpers/server/restartable.ts";
import { Referee } from "./referee.ts";
import { runRestarts } from "./run.ts";

/** `npm run restarts` does it fifty times and more. */
const KILLS = 12;

it(`kill -9 at ${KILLS} random moments under load: never two holders, nothing lost`, async () => {
  const victim = await Restartable.start(["--http-port", "0", "--log-level", "error"]);
  const options = { kills: KILLS, keepers: 6, sessions: 6, writers: 2, keys: 3, seed: 7 };
  const figures = await runRestarts(victim, options);
  expect(figures.faults).toEqual([]);
  expect(figures.kills).toBe(KILLS);
  // Else the load was none, and nothing was shown.
  expect(figures.carried).toBeGreaterThan(0);
  expect(figures.grants).toBeGreaterThan(KILLS * 5);
  expect(figures.writes).toBeGreaterThan(KILLS);
});

describe("the referee", () => {
  it("sees two holders, a fence that goes back, and a loss", () => {
    const referee = new Referee();
    referee.enter("k", "a-1", 5);
    referee.enter("k", "b-1", 5);
    referee.lost("k", "b-1", "why");
    expect(referee.faults).toEqual([
      "two holders of k: a-1 and b-1",
      "the fence of k: 5 after 5",
      "b-1 was told that it lost k: why",
    ]);
  });
});
