import { existsSync, readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { listProcesses } from "../../machine/process-table.ts";

/** How often to check whether a family has ended: there is no event for processes that are not children. */
const LOOK_MS = 100;
/** How long to wait after SIGKILL: a process that still lives then hangs in a device. */
const KILL_MS = 2_000;

const hasProc = existsSync("/proc/self/stat");

/**
 * A command and all processes that it has started, for the case that all of them have to stop: a
 * signal to `sh -c 'work; report'` alone would leave `work` running beside the next holder.
 *
 * They are found by their parents and, where the system shows environments, by a mark that they
 * inherit, which finds those whose parent has ended. Windows shows no environments, but a process
 * there keeps its parent's pid when that ends. A process group would be simpler, but a command in a
 * group of its own gets no Ctrl-C from its terminal (Node cannot make it the foreground group), and
 * would survive a kill of the group that `run` is in. What is not found: a process of another user,
 * and one that has both lost its parent and cleared its environment; on Windows, one whose parent and
 * grandparent have ended.
 */
export class Family {
  readonly #pid: number;
  readonly #mark: string;
  readonly #since: number;

  /**
   * `mark`: text that stands in the environment of these processes and of no others. `since`: when the
   * command was started, by the calendar.
   */
  constructor(pid: number, mark: string, since = Date.now()) {
    this.#pid = pid;
    this.#mark = mark;
    this.#since = since;
  }

  /** The processes that run now. Null if the system does not tell. */
  members(): number[] | null {
    const all = runningProcesses(this.#mark);
    return all && descendants(all, this.#pid, this.#since);
  }

  /** The processes that run now, as far as known: whether the command itself runs is always known. */
  #known(): number[] {
    return this.members() ?? (send(this.#pid, 0) ? [this.#pid] : []);
  }

  signal(signal: NodeJS.Signals): void {
    for (const pid of this.#known()) send(pid, signal);
  }

  /** True when none is left; false if some still run at that time, by `performance.now`. */
  async hasEnded(by: number): Promise<boolean> {
    while (this.#known().length > 0) {
      const left = by - performance.now();
      if (left <= 0) return false;
      await delay(Math.min(LOOK_MS, left));
    }
    return true;
  }

  /** Kills them, and processes that they start meanwhile. False if some still run after a while. */
  async kill(): Promise<boolean> {
    const end = performance.now() + KILL_MS;
    for (;;) {
      this.signal("SIGKILL");
      if (await this.hasEnded(performance.now() + 1)) return true;
      if (performance.now() > end) return false;
    }
  }
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly marked: boolean;
  readonly created: number | null;
}

/** A process that was created this long before its supposed parent has another parent. */
const CREATED_TOLERANCE_MS = 5_000;

/** Those that are marked, and the root that began at `since` with all its descendants. */
export function descendants(all: readonly Process[], root: number, since: number): number[] {
  const found = new Set<number>([process.pid]);
  // If the root was created later, it is another process with that pid, with other children.
  const stranger = all.find(
    ({ pid, created }) => pid === root && (created ?? 0) > since + CREATED_TOLERANCE_MS,
  );
  const add = (pid: number, born: number) => {
    for (const child of all) {
      const { created } = child;
      if (child.parent !== pid || found.has(child.pid)) continue;
      if (created !== null && created < born - CREATED_TOLERANCE_MS) continue;
      if (
        pid === root &&
        created !== null &&
        created >= (stranger?.created ?? Number.POSITIVE_INFINITY)
      )
        continue;
      found.add(child.pid);
      add(child.pid, created ?? born);
    }
  };
  for (const { pid, marked, created } of all) {
    if (found.has(pid) || !(marked || (pid === root && stranger === undefined))) continue;
    found.add(pid);
    add(pid, created ?? 0);
  }
  // On Windows the children of a root that has ended still name it.
  if (!found.has(root)) add(root, since);
  found.delete(process.pid);
  return [...found];
}

/** Every process of this machine that has not ended. Null if the system does not tell. */
function runningProcesses(mark: string): Process[] | null {
  if (!hasProc) {
    const inEnvironment = new RegExp(`\\bHOLDFAST_RUN=[0-9a-f:]*${mark}`);
    const all = listProcesses({ environment: true })?.filter(({ ended }) => !ended) ?? null;
    return all === null
      ? null
      : all.map((each) => ({ ...each, marked: inEnvironment.test(each.command) }));
  }
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "latin1");
      const [state = "", parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      if (/[ZX]/.test(state)) return [];
      const marked = isMarked(name, mark);
      return [{ pid: Number(name), parent: Number(parent), marked, created: null }];
    } catch {
      return [];
    }
  });
}

function isMarked(pid: string, mark: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1").includes(mark);
  } catch {
    return false;
  }
}

/** False where it has ended, or belongs to another user. */
function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
