import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ncc from "@vercel/ncc";
import { DIST, Job } from "./lib/job.ts";
import { quantile } from "./lib/measure.ts";
import { printAim, printTable, ratio } from "./lib/report.ts";

/** What each stage does, and how many times as long as a bare node it may take. */
const STAGES = {
  pre: { does: "lock acquired", times: 3.6 },
  main: { does: "lock verified", times: 1.9 },
  post: { does: "lock released", times: 1.9 },
} as const;
const BARE = "node -e 0";
const IDLE = "pre, left to main";
const WHOLE = "@actions/core, whole";

/** Each stage of a whole job beside a bare node and @actions/core bundled whole, in turns. */
export async function benchStages(
  folder: string,
  rounds: number,
  beside: string | undefined,
): Promise<void> {
  const core = await bundleCore(folder);
  const times = new Map<string, number[]>();
  const time = (name: string, call: () => void) => {
    const start = performance.now();
    call();
    times.set(name, [...(times.get(name) ?? []), performance.now() - start]);
  };
  for (let round = 0; round < rounds; round++) {
    time(BARE, () => spawnSync(process.execPath, ["-e", "0"]));
    time(WHOLE, () => spawnSync(process.execPath, [core]));
    for (const dist of beside === undefined ? [DIST] : [DIST, beside]) {
      const of = dist === DIST ? "" : ` (${dist})`;
      const inputs = { key: "bench", store: join(folder, "locks") };
      const job = new Job(folder, inputs, "bench", dist);
      for (const stage of ["pre", "main", "post"] as const)
        time(`${stage}, ${STAGES[stage].does}${of}`, () => job.run(stage));
      job.end();
      const idle = new Job(folder, { ...inputs, stage: "main" }, "idle", dist);
      time(`${IDLE}${of}`, () => idle.run("pre"));
      idle.end();
    }
  }
  const median = (name: string) => quantile(times.get(name) ?? [], 0.5);
  const rows = [...times.keys()].map((name) => [
    name,
    median(name).toFixed(1),
    (median(name) - median(BARE)).toFixed(1),
    ratio(median(name) / median(BARE)),
  ]);
  printTable(`Stages, median of ${rounds}`, ["", "ms", "over bare node", "times bare node"], rows);
  for (const [stage, { does, times }] of Object.entries(STAGES)) {
    const value = median(`${stage}, ${does}`) / median(BARE);
    printAim(`${stage}: ${times} times bare node`, ratio(value), value <= times);
  }
  // A pre that acquires starts a second Node; what the bundle costs shows in one that does nothing.
  for (const name of [IDLE, "main, lock verified", "post, lock released"]) {
    const whole = median(name) / median(WHOLE);
    printAim(`${name}: less than ${WHOLE}`, `${ratio(whole)} of it`, whole < 1);
  }
}

/** A program that loads all of @actions/core, with its HTTP client in place of our stand-in. */
async function bundleCore(folder: string): Promise<string> {
  const source = join(import.meta.dirname, "../build/bench-core");
  rmSync(source, { recursive: true, force: true });
  cpSync(join(import.meta.dirname, "../node_modules/@actions/core/lib"), join(source, "lib"), {
    recursive: true,
  });
  mkdirSync(source, { recursive: true });
  writeFileSync(
    join(source, "core.js"),
    `import * as core from "./lib/core.js";\ncore.debug("");\n`,
  );
  const options = { cache: false, esm: false, quiet: true };
  const { code } = await ncc(join(source, "core.js"), options);
  writeFileSync(join(folder, "core.cjs"), code);
  return join(folder, "core.cjs");
}
