import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

/** How often it is looked whether a family has ended: nothing tells of processes that are not children. */
const LOOK_MS = 100;
/** A process that the kernel cannot end within this hangs in a device: nothing more can be done. */
const KILL_MS = 2_000;

const hasProc = existsSync("/proc/self/stat");

/**
 * A command and all processes that it has started, for the case that all of them have to stop: a
 * signal to `sh -c 'work; report'` alone would leave `work` running beside the next holder.
 *
 * They are found by their parents and, where /proc shows environments, by a mark that they inherit,
 * which finds those whose parent has ended. A process group would be simpler, but a command in a
 * group of its own gets no Ctrl-C from its terminal (Node cannot make it the foreground group), and
 * would survive a kill of the group that `run` is in. What is not found: a process of another user,
 * and one that has both lost its parent and cleared its environment.
 */
export class Family {
  readonly #pid: number;
  readonly #mark: string;

  /** `mark`: text that stands in the environment of these processes and of no others. */
  constructor(pid: number, mark: string) {
    this.#pid = pid;
    this.#mark = mark;
  }

  /** Those that run now. */
  members(): number[] {
    const all = runningProcesses();
    const found = new Set<number>();
    const add = (pid: number) => {
      if (found.has(pid) || pid === process.pid) return;
      found.add(pid);
      for (const child of all) if (child.parent === pid) add(child.pid);
    };
    for (const { pid } of all) if (pid === this.#pid || this.#isMarked(pid)) add(pid);
    return [...found];
  }

  signal(signal: NodeJS.Signals): void {
    for (const pid of this.members()) send(pid, signal);
  }

  /** True when none is left; false where some still run at that time, by `performance.now`. */
  async hasEnded(by: number): Promise<boolean> {
    while (this.members().length > 0) {
      const left = by - performance.now();
      if (left <= 0) return false;
      await delay(Math.min(LOOK_MS, left));
    }
    return true;
  }

  /** Kills them, and those that they start meanwhile. */
  async kill(): Promise<void> {
    const end = performance.now() + KILL_MS;
    do this.signal("SIGKILL");
    while (!(await this.hasEnded(performance.now() + 1)) && performance.now() < end);
  }

  #isMarked(pid: number): boolean {
    if (!hasProc) return false;
    try {
      return readFileSync(`/proc/${pid}/environ`, "latin1").includes(this.#mark);
    } catch {
      return false;
    }
  }
}

interface Process {
  readonly pid: number;
  readonly parent: number;
}

/** Every process of this machine that has not ended. Empty where nothing tells. */
function runningProcesses(): Process[] {
  if (process.platform === "win32") return [];
  if (!hasProc) return listedProcesses();
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "latin1");
      const [state = "", parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return /[ZX]/.test(state) ? [] : [{ pid: Number(name), parent: Number(parent) }];
    } catch {
      return [];
    }
  });
}

function listedProcesses(): Process[] {
  const { stdout } = spawnSync("ps", ["-A", "-o", "pid=,ppid=,state="], { encoding: "utf8" });
  return (stdout ?? "").split("\n").flatMap((line) => {
    const [pid, parent, state = "Z"] = line.trim().split(/\s+/);
    return state.startsWith("Z") ? [] : [{ pid: Number(pid), parent: Number(parent) }];
  });
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended, or belongs to another user.
  }
}
