import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";

const SCRIPT = fileURLToPath(new URL("../../scripts/simulate.ts", import.meta.url));
const run = promisify(execFile);

interface SeedLine {
  readonly seed: number;
  readonly digest: string;
  readonly faults: readonly string[];
  readonly unknown: readonly string[];
}

interface Figures {
  readonly seeds: number;
  /** Milliseconds of simulated time, and seconds of CPU. */
  readonly simulated: number;
  readonly seconds: number;
  readonly grants: number;
}

/** Simulates in a process of its own, since it puts its clocks in the place of the real ones. */
async function simulate(world: string, from: number, seeds: number) {
  const args = ["--json", "--world", world, "--from", String(from), "--seeds", String(seeds)];
  const options = { maxBuffer: 2 ** 28 };
  // A seed that failed is in what it printed; so is everything else.
  const { stdout } = await run(process.execPath, [SCRIPT, ...args], options).catch(
    (error: { stdout: string }) => error,
  );
  const lines = stdout.trim().split("\n");
  const figures = JSON.parse(lines.pop() as string) as Figures;
  return { figures, lines: lines.map((line) => JSON.parse(line) as SeedLine) };
}

describe("the server and the document protocol in simulated time", () => {
  const all = { seeds: 0, simulated: 0, seconds: 0, grants: 0 };

  test.each([
    ["server", 1, 300],
    ["server", 301, 300],
    ["server", 601, 300],
    ["document", 1, 550],
    ["document", 551, 550],
  ])("%s, from seed %i: %i seeds", { timeout: 900_000 }, async (world, from, seeds) => {
    const { figures, lines } = await simulate(world, from, seeds);
    const failed = lines
      .filter(({ faults, unknown }) => faults.length + unknown.length > 0)
      .map(({ seed, faults, unknown }) => ({
        replay: `npm run simulate -- --world ${world} --from ${seed} --seeds 1 --trace`,
        why: [...faults, ...unknown][0],
      }));
    expect(failed).toEqual([]);
    expect(lines).toHaveLength(seeds);
    expect(figures.grants).toBeGreaterThan(seeds);
    for (const name of Object.keys(all) as (keyof typeof all)[]) all[name] += figures[name];
  });

  test("that were 2,000 seeds, at more than 1,000 times real time", () => {
    expect(all.seeds).toBe(2_000);
    expect(all.simulated / 1_000 / all.seconds).toBeGreaterThan(1_000);
  });

  test.each(["server", "document"])("%s: a seed takes the same way again", async (world) => {
    const many = await simulate(world, 1, 8);
    const one = await simulate(world, 8, 1);
    expect(one.lines[0]?.digest).toBe(many.lines[7]?.digest);
    expect(new Set(many.lines.map(({ digest }) => digest)).size).toBe(8);
  });
});
