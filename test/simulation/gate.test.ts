import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import type { Day } from "./gate/day.ts";

const SCRIPT = fileURLToPath(new URL("../../scripts/gate-day.ts", import.meta.url));
const run = promisify(execFile);

test("days of runs that wait at GitHub: nobody is let in beside another, and nobody is stuck", async () => {
  const args = [SCRIPT, "--json", "--seeds", "3"];
  const options = { maxBuffer: 2 ** 28 };
  // A day that went wrong is in what it printed.
  const { stdout } = await run(process.execPath, args, options).catch(
    (error: { stdout: string }) => error,
  );
  const days = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { gated: Day; plain: Day });
  expect(days).toHaveLength(3);
  for (const { gated, plain } of days) {
    const { overlaps, stuck, violations, failures, runs, kills, lost } = gated;
    expect({ overlaps, stuck, violations, failures }).toEqual({
      overlaps: [],
      stuck: [],
      violations: [],
      failures: [],
    });
    expect(Math.min(runs, kills, lost)).toBeGreaterThan(20);
    expect(plain.failures).toEqual([]);
    expect(gated.onRunners).toBeLessThan(plain.onRunners);
  }
});
