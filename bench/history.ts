import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { estimateTurn } from "../src/forecast/estimate.ts";
import { openStore } from "../src/stores/open.ts";
import { coverageOf } from "../test/unit/forecast/coverage.ts";
import { hold, holding, NOW } from "../test/unit/forecast/holds.ts";
import { KINDS } from "../test/unit/forecast/queues.ts";
import { Job } from "./lib/job.ts";
import { interleave, quantile } from "./lib/measure.ts";
import { printAim, printTable } from "./lib/report.ts";

const USAGE = `npm run bench history -- [--rounds N]
`;

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "30" },
    help: { type: "boolean", default: false },
  },
});

const LINES = 100_000;
const ADDED_MS = 2;
const KEY = "production";

/** Half a year of a busy machine: twenty keys, and one that was used only at the very beginning. */
function writeLog(directory: string): number {
  mkdirSync(directory, { recursive: true });
  const parts: string[] = [];
  for (let pair = 0; pair < LINES / 2; pair++) {
    const key = pair < 10 ? "rare" : pair % 20 === 0 ? KEY : `key-${pair % 20}`;
    const at = Date.parse("2026-05-01T00:00:00.000Z") + pair * 300_000;
    const held = 60_000 + ((pair * 7_919) % 120_000);
    const details = { key, owner: `ci-github-${pair}-1-deploy`, fence: at * 1_000, slot: 0 };
    const metadata = { ci_system: "github", workflow: "Deploy", job: "deploy", run_id: `${pair}` };
    const line = (operation: string, time: number, more: object) =>
      JSON.stringify({
        timestamp: new Date(time).toISOString(),
        operation,
        lockPath: join(directory, `${key}.lock`),
        details: { ...details, ...more },
        user: "octocat",
        pid: 4_711,
      });
    parts.push(line("acquire", at, { waited: 12, metadata }), line("release", at + held, { held }));
  }
  const log = join(directory, ".lock_audit.log");
  writeFileSync(log, `${parts.join("\n")}\n`);
  return statSync(log).size;
}

async function benchReading(locks: string, rounds: number): Promise<void> {
  const store = await openStore(locks);
  const read = (key: string) => async (times: number) => {
    for (let time = 0; time < times; time++) await store.history?.(key, { limit: 50 });
  };
  const holds = Array.from({ length: 50 }, (_, index) => hold(5 + (index % 7)));
  const holders = [holding(2)];
  const names = { busy: "a key in every twentieth line", rare: "a key that is not found" };
  const estimate = "an estimate, fifth in line";
  const costs = await interleave(
    [
      { name: names.busy, run: read(KEY) },
      { name: names.rare, run: read("rare") },
      {
        name: estimate,
        run: (times) => {
          for (let time = 0; time < times; time++)
            estimateTurn({ holds, holders, position: 5, slots: 1, now: NOW });
        },
      },
    ],
    rounds,
    10,
  );
  await store.close();
  const rows = [...costs].map(([name, cost]) => [name, (cost / 1_000).toFixed(2)]);
  printTable(`The last 50 holds out of ${LINES} lines`, ["", "ms"], rows);
  const worst = Math.max(costs.get(names.busy) ?? 0, costs.get(names.rare) ?? 0) / 1_000;
  printAim(`${ADDED_MS} ms for reading`, `${worst.toFixed(2)} ms`, worst <= ADDED_MS);
  const cost = (costs.get(estimate) ?? 0) / 1_000;
  printAim("1 ms for an estimate", `${cost.toFixed(2)} ms`, cost <= 1);
}

/** Whole stages, in turns: with the history, and without. */
function benchStages(folder: string, locks: string, rounds: number): void {
  const times = new Map<string, number[]>();
  const time = (name: string, call: () => void) => {
    const start = performance.now();
    call();
    times.set(name, [...(times.get(name) ?? []), performance.now() - start]);
  };
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? ["off", "auto"] : ["auto", "off"];
    for (const history of order) {
      const job = new Job(folder, { key: KEY, store: locks, history }, "bench");
      time(`pre, history: ${history}`, () => job.run("pre"));
      time(`post, history: ${history}`, () => job.run("post"));
      job.end();
    }
  }
  const all = (name: string) => times.get(name) ?? [];
  const rows = [...times.keys()].sort().map((name) => [name, quantile(all(name), 0.5).toFixed(1)]);
  printTable(`Stages, median of ${rounds}`, ["", "ms"], rows);
  // Neighbours are compared, since what else the machine does changes over the rounds.
  const without = all("pre, history: off");
  const differences = all("pre, history: auto").map((each, round) => each - (without[round] ?? 0));
  const added = quantile(differences, 0.5);
  const value = `${added.toFixed(1)} ms, the middle half from ${quantile(differences, 0.25).toFixed(1)} to ${quantile(differences, 0.75).toFixed(1)}`;
  printAim(`${ADDED_MS} ms more in pre`, value, added <= ADDED_MS);
}

/** What `history: cache` loads, in a process of its own, and nobody else. */
function benchCache(rounds: number): void {
  const program = join(import.meta.dirname, "../dist/cache/index.js");
  const bare: number[] = [];
  const loaded: number[] = [];
  const timed = (args: string[], into: number[]) => {
    const start = performance.now();
    spawnSync(process.execPath, args);
    into.push(performance.now() - start);
  };
  for (let round = 0; round < rounds; round++) {
    timed(["-e", "0"], bare);
    timed([program], loaded);
  }
  const size = (statSync(program).size / 1_000).toFixed(0);
  const over = quantile(loaded, 0.5) - quantile(bare, 0.5);
  printTable(
    "The cache's program, which only history: cache starts",
    ["", ""],
    [
      ["size, kB", size],
      ["loading it, over a bare node, ms", over.toFixed(0)],
    ],
  );
}

function benchCoverage(): void {
  const parts = Object.keys(KINDS).map((name) => [name, coverageOf(name, 200)] as const);
  const all = parts.reduce((sum, [, part]) => sum + part, 0) / parts.length;
  printTable(
    "The true wait lies within the range, 2,000 queues of each kind",
    ["hold times", "%"],
    [...parts, ["all", all] as const].map(([name, part]) => [name, (100 * part).toFixed(1)]),
  );
  const worst = Math.min(...parts.map(([, part]) => part));
  printAim("80 % of each kind", `${(100 * worst).toFixed(1)} % at the worst`, worst >= 0.8);
}

if (values.help) {
  process.stdout.write(USAGE);
} else {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-bench-"));
  try {
    const locks = join(folder, "locks");
    const size = writeLog(locks);
    process.stdout.write(`a log of ${LINES} lines, ${(size / 1e6).toFixed(0)} MB\n`);
    await benchReading(locks, Number(values.rounds));
    benchStages(folder, locks, Number(values.rounds));
    benchCache(Number(values.rounds));
    benchCoverage();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
