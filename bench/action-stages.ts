import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { Job } from "./lib/job.ts";
import { quantile } from "./lib/measure.ts";
import { printAim, printTable, ratio } from "./lib/report.ts";

const OVER_BARE_MS = 25;
const PRE_TIMES_BARE = 3.3;

/** Each stage of a whole job beside a bare node and @actions/core bundled whole, in turns. */
export async function benchStages(folder: string, rounds: number): Promise<void> {
  const core = await bundleCore(folder);
  const times = new Map<string, number[]>();
  const time = (name: string, call: () => void) => {
    const start = performance.now();
    call();
    times.set(name, [...(times.get(name) ?? []), performance.now() - start]);
  };
  const bare = "node -e 0";
  const whole = "@actions/core, whole";
  for (let round = 0; round < rounds; round++) {
    const job = new Job(folder, { key: "bench", store: join(folder, "locks") }, "bench");
    time(bare, () => spawnSync(process.execPath, ["-e", "0"]));
    time("pre, lock acquired", () => job.run("pre"));
    time(whole, () => spawnSync(process.execPath, [core]));
    time("main, lock verified", () => job.run("main"));
    time("post, lock released", () => job.run("post"));
    job.end();
  }
  const median = (name: string) => quantile(times.get(name) ?? [], 0.5);
  const rows = [...times.keys()].map((name) => [
    name,
    median(name).toFixed(1),
    (median(name) - median(bare)).toFixed(1),
    ratio(median(name) / median(bare)),
  ]);
  printTable(`Stages, median of ${rounds}`, ["", "ms", "over bare node", "times bare node"], rows);
  const over = (name: string) => median(name) - median(bare);
  for (const name of ["main, lock verified", "post, lock released"]) {
    const value = `${over(name).toFixed(1)} ms`;
    printAim(`${name}: ${OVER_BARE_MS} ms over bare node`, value, over(name) <= OVER_BARE_MS);
  }
  const pre = median("pre, lock acquired") / median(bare);
  printAim(`pre: ${PRE_TIMES_BARE} times bare node`, ratio(pre), pre <= PRE_TIMES_BARE);
}

/** A program that loads all of @actions/core, as a bundler makes it that is told nothing. */
async function bundleCore(folder: string): Promise<string> {
  const source = join(import.meta.dirname, "../build/bench-core");
  mkdirSync(source, { recursive: true });
  writeFileSync(
    join(source, "core.js"),
    `import * as core from "@actions/core";\ncore.debug("");\n`,
  );
  const built = await rolldown({
    input: join(source, "core.js"),
    platform: "node",
    treeshake: false,
  });
  await built.write({ file: join(folder, "core.mjs"), format: "esm", minify: true });
  return join(folder, "core.mjs");
}
