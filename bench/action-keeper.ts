import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Job } from "./lib/job.ts";
import { printAim, printTable, ratio } from "./lib/report.ts";

const MEMORY_TIMES_BARE = 1.25;
const CORE_PERCENT = 0.1;
const TICKS_PER_SECOND = 100;

/** What a keeper at rest costs: memory beside a bare idle node, and its share of a core. */
export async function benchKeeper(folder: string, seconds: number): Promise<void> {
  const job = new Job(folder, { key: "rest", store: join(folder, "locks") }, "rest");
  const node = (program: string) => spawn(process.execPath, ["-e", program], { stdio: "ignore" });
  const idle = node("setInterval(() => {}, 2 ** 30)");
  // What a process costs that can be asked something, whatever else it does.
  const socket = JSON.stringify(join(folder, "bench.sock"));
  const listening = node(`require("node:net").createServer(() => {}).listen(${socket})`);
  try {
    job.run("pre");
    const keeper = job.keeperPid();
    await delay(2_000);
    const before = ticksOf(keeper);
    await delay(seconds * 1_000);
    const percent = ((ticksOf(keeper) - before) / TICKS_PER_SECOND / seconds) * 100;
    const memory = {
      keeper: memoryOf(keeper),
      listening: memoryOf(listening.pid ?? 0),
      idle: memoryOf(idle.pid ?? 0),
    };
    printTable(
      "A keeper at rest",
      ["", "MB resident", "times idle", "MB of its own share", "times idle", "% of a core"],
      [
        ["keeper", ...besides(memory.keeper, memory.idle), percent.toFixed(3)],
        ["node, listens on a socket", ...besides(memory.listening, memory.idle), ""],
        ["node, idle", ...besides(memory.idle, memory.idle), ""],
      ],
    );
    const times = memory.keeper.resident / memory.idle.resident;
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
    listening.kill();
    job.run("post");
    job.end();
  }
}

interface Memory {
  /** What ps shows: also what it has in common with other processes, such as Node's own code. */
  readonly resident: number;
  /** The same, but what several have in common is divided among them: it depends on who else runs. */
  readonly share: number;
}

/** In kB. */
export function memoryOf(pid: number): Memory {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  const field = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(text)?.[1]);
  return { resident: field("Rss"), share: field("Pss") };
}

function besides(one: Memory, other: Memory): string[] {
  const megabytes = (kilobytes: number) => (kilobytes / 1_024).toFixed(1);
  return [
    megabytes(one.resident),
    ratio(one.resident / other.resident),
    megabytes(one.share),
    ratio(one.share / other.share),
  ];
}

/** User and system time in clock ticks. */
function ticksOf(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, "latin1");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return Number(fields[11]) + Number(fields[12]);
}
