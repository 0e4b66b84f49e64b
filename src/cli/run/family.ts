import { existsSync, readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { listProcesses } from "../../machine/process-table.ts";
import { exists } from "../../machine/processes.ts";

/** How often to check whether a family has ended: there is no event for processes that are not children. */
const LOOK_MS = 100;
/** How long to wait after SIGKILL: a process that still lives then hangs in a device. */
const KILL_MS = 2_000;

const hasProc = existsSync("/proc/self/stat");

/**
 * A command and all processes that it has started, for the case that all of them have to stop: a
 * signal to `sh -c 'work; report'` alone would leave `work` running beside the next holder.
 *
 * They are found by their parents and by a mark in the environment that they inherit, which finds those
 * whose parent has ended. macOS hides the environment of its own programs: of these, an orphan counts
 * that is in the group of `run` or of the command and is younger than the command. Windows shows no
 * environments, but a process there keeps its parent's pid when that ends.
 *
 * A process group of its own would be simpler, but a command in one gets no Ctrl-C from its terminal
 * (Node cannot make it the foreground group), and would survive a kill of the group that `run` is in.
 * What is not found: a process of another user, and one that has both lost its parent and cleared its
 * environment; on Windows, one whose parent had ended before the first look and was not the command.
 */
export class Family {
  readonly #pid: number;
  readonly #mark: string;
  readonly #since: number;
  /** Members, and by when each had been created: what they start remains known when they end. */
  #known: ReadonlyMap<number, number>;

  /**
   * `mark`: text that stands in the environment of these processes and of no others. `since`: when the
   * command was started, by the calendar.
   */
  constructor(pid: number, mark: string, since = Date.now()) {
    this.#pid = pid;
    this.#mark = mark;
    this.#since = since;
    this.#known = new Map([[pid, since]]);
  }

  /** The processes that run now. Null if the system does not tell. */
  members(): number[] | null {
    const all = hasProc ? processesInProc(this.#mark) : this.#listed();
    if (all === null) return null;
    const members = descendants(all, this.#known);
    // In /proc the mark finds them anew, whatever has a pid by then.
    if (!hasProc)
      this.#known = new Map(members.map(({ pid, created }) => [pid, created ?? this.#since]));
    return members.map(({ pid }) => pid);
  }

  #listed(): Process[] | null {
    const all = listProcesses({ environment: true })?.filter(({ ended }) => !ended);
    if (all === undefined) return null;
    const inEnvironment = new RegExp(`\\bHOLDFAST_RUN=[0-9a-f:]*${this.#mark}`);
    const groupOf = (pid: number) => all.find((each) => each.pid === pid)?.group;
    const groups = [groupOf(process.pid), groupOf(this.#pid)];
    return all.map((each) => {
      const { parent, group, created, command } = each;
      const isHiddenOrphan =
        parent === 1 &&
        group !== null &&
        groups.includes(group) &&
        (created ?? 0) > this.#since - EARLY_MS &&
        !/ PATH=/.test(command);
      return { ...each, marked: isHiddenOrphan || inEnvironment.test(command) };
    });
  }

  /** The processes that run now, as far as known: whether the command itself runs is always known. */
  #running(): number[] {
    return this.members() ?? (exists(this.#pid) ? [this.#pid] : []);
  }

  signal(signal: NodeJS.Signals): void {
    for (const pid of this.#running()) send(pid, signal);
  }

  /** True when none is left; false if some still run at that time, by `performance.now`. */
  async hasEnded(by: number): Promise<boolean> {
    while (this.#running().length > 0) {
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
/** How much too early `ps` may tell a time: it tells whole seconds, from a boot that it knows likewise. */
const EARLY_MS = 2_000;

/** Those that are marked, and those that are known, with all their descendants. */
export function descendants(
  all: readonly Process[],
  known: ReadonlyMap<number, number>,
): Process[] {
  const found = new Map<number, Process>();
  const add = (parent: number, born: number, until = Number.POSITIVE_INFINITY) => {
    for (const child of all) {
      const { pid, created } = child;
      if (child.parent !== parent || pid === process.pid || found.has(pid)) continue;
      if (created !== null && (created < born - CREATED_TOLERANCE_MS || created >= until)) continue;
      found.set(pid, child);
      add(pid, created ?? born);
    }
  };
  for (const [pid, born] of known) {
    const now = all.find((each) => each.pid === pid);
    // If it was created later, it is another process with that pid, with other children.
    const isStranger = (now?.created ?? 0) > born + CREATED_TOLERANCE_MS;
    if (now !== undefined && !isStranger) found.set(pid, now);
    // On Windows the children of one that has ended still name it.
    add(
      pid,
      isStranger ? born : (now?.created ?? born),
      isStranger ? (now?.created ?? 0) : undefined,
    );
  }
  for (const each of all) {
    if (!each.marked || each.pid === process.pid || found.has(each.pid)) continue;
    found.set(each.pid, each);
    add(each.pid, each.created ?? 0);
  }
  return [...found.values()];
}

/** Every process of this machine that has not ended. */
function processesInProc(mark: string): Process[] {
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
function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
