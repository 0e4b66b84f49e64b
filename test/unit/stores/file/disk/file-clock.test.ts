import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { systemClock } from "../../../../../src/lock/time.ts";
import { FileClock } from "../../../../../src/stores/file/disk/file-clock.ts";
import { temporaryDirectory } from "../../../../helpers/directories.ts";

const HOUR = 3_600_000;

test("the files' clock is told by files, not by a wall clock that is wrong, and leaves nothing", () => {
  const directory = temporaryDirectory();
  const wrong = new FileClock({ ...systemClock, now: () => Date.now() - 7 * HOUR });
  const before = Date.now();
  const now = wrong.now(join(directory, "k.lock"));
  expect(now).toBeGreaterThan(before - 1_000);
  expect(now).toBeLessThan(Date.now() + 1_000);
  expect(readdirSync(directory)).toEqual([]);
});

test("who may not write there has its own clock", () => {
  const clock = new FileClock({ ...systemClock, now: () => 42 });
  expect(clock.now("/nowhere/at/all/k.lock")).toBe(42);
});
