import { spawn } from "node:child_process";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { memoryOf } from "../action-keeper.ts";
import { Job } from "../lib/job.ts";
import { compare, type Result } from "./compare.ts";

/** After this long a process that does nothing has grown to its size. */
const REST_MS = 1_500;

/** What a keeper at rest takes of the machine, as ps shows it. */
export function keeperMemory(directory: string): Promise<Result> {
  return compare({
    what: "a keeper at rest",
    peer: "an idle node",
    unit: "MB",
    aim: 1.25,
    rounds: 5,
    async ours() {
      const job = new Job(directory, { key: "rest", store: join(directory, "rest") }, "rest");
      job.run("pre");
      await delay(REST_MS);
      const { resident } = memoryOf(job.keeperPid());
      job.run("post");
      job.end();
      return resident / 1_024;
    },
    async theirs() {
      const idle = spawn(process.execPath, ["-e", "setInterval(() => {}, 2 ** 30)"]);
      await delay(REST_MS);
      const { resident } = memoryOf(idle.pid ?? 0);
      idle.kill();
      return resident / 1_024;
    },
  });
}
