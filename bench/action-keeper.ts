import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Job } from "./lib/job.ts";
import { printAim, printTable, ratio } from "./lib/report.ts";

const MEMORY_TIMES_BARE = 1.1;
const CORE_PERCENT = 0.1;
const TICKS_PER_SECOND = 100;

/** What a keeper at rest costs: memory beside a bare idle node, and its share of a core. */
export async function benchKeeper(folder: string, seconds: number): Promise<void> {
  const job = new Job(folder, { key: "rest", store: join(folder, "locks") }, "rest");
  const idle = spawn(process.execPath, ["-e", "setInterval(() => {}, 2 ** 30)"], {
    stdio: "ignore",
  });
  try {
    job.run("pre");
    const keeper = job.keeperPid();
    await delay(2_000);
    const before = ticksOf(keeper);
    await delay(seconds * 1_000);
    const percent = ((ticksOf(keeper) - before) / TICKS_PER_SECOND / seconds) * 100;
    const memory = { keeper: memoryOf(keeper), idle: memoryOf(idle.pid ?? 0) };
    printTable(
      "A keeper at rest",
      ["", "MB", "% of a core"],
      [
        ["keeper", (memory.keeper / 1_024).toFixed(1), percent.toFixed(3)],
        ["idle node", (memory.idle / 1_024).toFixed(1), ""],
      ],
    );
    const times = memory.keeper / memory.idle;
    printAim(
      `${MEMORY_TIMES_BARE} times an idle node's memory`,
      ratio(times),
      times <= MEMORY_TIMES_BARE,
    );
    printAim(
      `${CORE_PERCENT} % of a core over ${seconds} s`,
      `${percent.toFixed(3)} %`,
      percent < CORE_PERCENT,
    );
  } finally {
    idle.kill();
    job.run("post");
    job.end();
  }
}

/** Private and proportional memory in kB: what the process adds to the machine. */
function memoryOf(pid: number): number {
  return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1]);
}

/** User and system time in clock ticks. */
function ticksOf(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, "latin1");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return Number(fields[11]) + Number(fields[12]);
}
