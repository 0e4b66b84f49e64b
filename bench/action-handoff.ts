import { once } from "node:events";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { openStore } from "../src/stores/open.ts";
import { Job } from "./lib/job.ts";
import { quantile } from "./lib/measure.ts";
import { printTable, ratio } from "./lib/report.ts";

const ROUNDS = 15;
/** What the other lock actions do, and how often that is tried here: it takes its time. */
const POLLS: [ms: number, rounds: number][] = [
  [1_000, 8],
  [5_000, 4],
  [10_000, 3],
];

/** From the first job's post to the end of the second job's pre, which waited. */
export async function benchJobHandoff(folder: string): Promise<void> {
  const store = await openStore(join(folder, "locks"));
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const [first, second] = ["first", "second"].map(
      (name) => new Job(folder, { key: "handoff", store: join(folder, "locks") }, name),
    ) as [Job, Job];
    first.run("pre");
    const waiting = second.start("pre");
    while ((await store.inspect("handoff")).waiting === 0) await delay(20);
    const start = performance.now();
    const post = first.start("post");
    await once(waiting, "exit");
    times.push(performance.now() - start);
    if (post.exitCode === null) await once(post, "exit");
    second.run("post");
    first.end();
    second.end();
  }
  await store.close();
  const ours = quantile(times, 0.5);
  const rows = [["holdfast", ours.toFixed(0), ratio(1)]];
  for (const [interval, rounds] of POLLS) {
    const polled = await poll(join(folder, "polled"), interval, rounds);
    rows.push([
      `a poll of ${interval / 1_000} s, without starting node`,
      polled.toFixed(0),
      ratio(polled / ours),
    ]);
  }
  printTable("Hand-off between two jobs, median", ["", "ms", "times ours"], rows);
}

/** The wait of somebody who looks every so often, from a random moment on. */
async function poll(path: string, interval: number, rounds: number): Promise<number> {
  const waits = await Promise.all(
    Array.from({ length: rounds }, async (_, round) => {
      const lock = `${path}-${interval}-${round}`;
      writeFileSync(lock, "");
      const released = delay(interval * (0.2 + (0.8 * round) / rounds)).then(() => {
        rmSync(lock);
        return performance.now();
      });
      while (existsSync(lock)) await delay(interval);
      return performance.now() - (await released);
    }),
  );
  return quantile(waits, 0.5);
}
