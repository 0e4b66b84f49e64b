import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryDirectory } from "../../helpers/directories.ts";
import { Restartable } from "../../helpers/server/restartable.ts";
import { runRestarts } from "./run.ts";

/** `npm run restarts` does it fifty times and more. */
const KILLS = 12;

it(`kill -9 at ${KILLS} random moments under load: never two holders, nothing lost, nobody overtaken`, async () => {
  const victim = await Restartable.start(["--http-port", "0", "--log-level", "error"]);
  const history = join(temporaryDirectory(), "history.jsonl");
  const options = { kills: KILLS, keepers: 6, sessions: 6, writers: 2, keys: 3, seed: 7, history };
  const figures = await runRestarts(victim, options);
  expect(figures.faults).toEqual([]);
  expect(figures.kills).toBe(KILLS);
  // Else the load was none, and nothing was shown.
  expect(figures.carried).toBeGreaterThan(0);
  expect(figures.places).toBeGreaterThan(0);
  expect(figures.grants).toBeGreaterThan(KILLS * 5);
  expect(figures.writes).toBeGreaterThan(KILLS);
});
