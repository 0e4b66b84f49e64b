import { closeSync, openSync, readFileSync, readlinkSync, readSync } from "node:fs";
import { hostname } from "node:os";
import { systemCode } from "../lock/errors.ts";
import { listProcesses, output } from "./process-table.ts";

/** Names one process for as long as the machine runs: a pid alone is reused. */
export interface ProcessMark {
  readonly pid: number;
  /**
   * Linux: the start time in ticks since boot. Elsewhere `@` and a time of the calendar in
   * milliseconds, by which the process had started. Null: not known.
   */
  readonly start: string | null;
  /** The boot of the machine that the process runs on. */
  readonly boot: string | null;
  /**
   * The pid namespace, since equal pids in two containers are two processes. If the time namespace is
   * not the machine's own, it follows: start times and the monotonic clock differ in it.
   */
  readonly namespace: string | null;
  readonly host: string;
}

/** Looks at processes of this machine. */
export interface Processes {
  readonly self: ProcessMark;
  /**
   * The mark of a running process of this machine; null where there is none. `new`: it was started
   * just now, so that the present time will do as its start time where the real one is costly.
   */
  mark(pid: number, age?: "new"): ProcessMark | null;
  /** Null where it cannot be known from here: another host, another pid namespace. */
  alive(mark: ProcessMark): boolean | null;
  /** What a living process is and whether it is stopped; null where that cannot be known from here. */
  describe(mark: ProcessMark): ProcessDescription | null;
  /** Like `alive`, for repeated questions: cheaper, and safe if a pid is used again. */
  follow(mark: ProcessMark): Followed;
}

export interface ProcessDescription {
  /** The system's short name of it, without its arguments. */
  readonly name: string;
  /** Stopped by a signal or a debugger. */
  readonly stopped: boolean;
}

export interface Followed {
  alive(): boolean | null;
  close(): void;
}

export interface ProcessesOptions {
  /**
   * On a filesystem of one machine, a mark with this host's name and another boot is from before a
   * restart. On a shared one it may be a second machine of the same name: not known.
   */
  readonly sharedFilesystem: boolean;
}

export function openProcesses(options: ProcessesOptions): Processes {
  const self = markSelf();
  const processes: Processes = {
    self,
    mark: (pid, age) => (exists(pid) ? { ...self, pid, start: startOf(pid, age) } : null),
    follow: (mark) => follow(mark, processes),
    describe: (mark) => {
      const stat = hasProc ? statOf(mark.pid) : null;
      if (stat === null || processes.alive(mark) !== true) return null;
      return { name: stat.name, stopped: stat.state === "T" || stat.state === "t" };
    },
    alive: (mark) => {
      // Without a boot id only the host's name is known.
      if (mark.boot === null && mark.host !== self.host) return null;
      // Another tool's lock names only a pid: it can only mean a process of this machine.
      if (mark.start === null && mark.boot === null && mark.namespace === null)
        return exists(mark.pid);
      if (mark.boot !== self.boot) {
        // A mark from before a restart, in a directory that no other machine uses.
        const restarted = bootOfProc !== null && mark.host === self.host && mark.boot !== null;
        return restarted && !options.sharedFilesystem ? false : null;
      }
      if (mark.pid === self.pid && mark.start === self.start && mark.namespace === self.namespace)
        return true;
      if (mark.namespace !== self.namespace || !canTellPids) return null;
      if (exists(mark.pid) && isStillThere(mark)) return true;
      // Two machines of one name may share this directory: without boot ids it may be the other's.
      return self.boot === null && options.sharedFilesystem ? null : false;
    },
  };
  return processes;
}

/** Whether the process that has a mark's pid now is the marked one. If that is not known: true. */
function isStillThere({ pid, start }: ProcessMark): boolean {
  if (start === null) return true;
  if (hasProc) {
    const now = statOf(pid)?.start;
    // A process that /proc hides exists, and may be the same one.
    return now === undefined ? exists(pid) : now === start;
  }
  // In another form: from a version that wrote the time of `ps` in its own time zone.
  const by = calendarTime(start);
  if (by === null) return true;
  const created = createdOf(pid);
  if (created === "gone") return false;
  // A start time in the future: the clock was set back, and its times say nothing.
  if (created === null || created > Date.now() + CREATED_TOLERANCE_MS) return true;
  const late = created - by;
  return (
    late <= CREATED_TOLERANCE_MS ||
    SUMMER_TIMES_MS.some((shift) => Math.abs(late - shift) <= CREATED_TOLERANCE_MS)
  );
}

/** `ps` tells whole seconds, and a clock may be set by a little. */
const CREATED_TOLERANCE_MS = 5_000;
/**
 * Windows tells local times. In the hour that comes twice at the end of summer time, a process may seem
 * to be created this much later than it was.
 */
const SUMMER_TIMES_MS = [1_800_000, 3_600_000];

function calendarTime(start: string): number | null {
  return /^@\d+$/.test(start) ? Number(start.slice(1)) : null;
}

/**
 * Whether two marks are of one process. Calendar times depend on the moment at which each was read, so
 * only their pids can be compared.
 */
export function isSameProcess(one: ProcessMark, other: ProcessMark): boolean {
  const byCalendar = [one, other].every(({ start }) => calendarTime(start ?? "") !== null);
  return (
    one.pid === other.pid &&
    one.boot === other.boot &&
    one.namespace === other.namespace &&
    (byCalendar ? one.host === other.host : one.start === other.start)
  );
}

/** Looks take at most this part of the time: a look costs some ms with `ps`, 0.3 s with `wmic`. */
const LOOKING_PART = 0.01;

const seen = new Map<number, { readonly created: number | null; readonly until: number }>();

/**
 * When a process was created, in milliseconds of the calendar; null if no program tells. An answer is
 * kept for a while. So it may take a while until a pid that is used again is noticed.
 */
function createdOf(pid: number): number | "gone" | null {
  const now = performance.now();
  const known = seen.get(pid);
  if (known !== undefined && now < known.until) return known.created;
  const all = listProcesses({ pid });
  const [found] = all ?? [];
  seen.delete(pid);
  if (found?.ended) return "gone";
  // A line that cannot be read is no answer: the kernel knows whether there is such a process.
  if (all !== null && found === undefined && !exists(pid)) return "gone";
  const created = found?.created ?? null;
  const took = performance.now() - now;
  seen.set(pid, { created, until: now + took / LOOKING_PART });
  return created;
}

/** Enough bytes for everything up to the start time; a name has at most 64 bytes. */
const STAT_BYTES = 128;

/**
 * Follows a process by an open descriptor of its file in /proc, which belongs to that process alone:
 * after its end the file cannot be read any more, even if another process has the pid.
 */
function follow(mark: ProcessMark, processes: Processes): Followed {
  const handle = hasProc ? attempt(() => openSync(`/proc/${mark.pid}/stat`, "r")) : null;
  // Checked after the descriptor was opened: so a new process with that pid is noticed.
  if (handle === null || processes.alive(mark) !== true) {
    if (handle !== null) closeSync(handle);
    return { alive: () => processes.alive(mark), close: () => {} };
  }
  const buffer = Buffer.alloc(STAT_BYTES);
  return {
    alive: () => {
      try {
        const length = readSync(handle, buffer, 0, STAT_BYTES, 0);
        return !hasEnded(stateIn(buffer.toString("latin1", 0, length)));
      } catch (error) {
        // Any other failure, such as no memory, says nothing about that process.
        return systemCode(error) === "ESRCH" ? false : processes.alive(mark);
      }
    },
    close: () => closeSync(handle),
  };
}

let cachedSelf: ProcessMark | null = null;

function markSelf(): ProcessMark {
  cachedSelf ??= {
    pid: process.pid,
    start: startOf(process.pid, "new"),
    boot: bootOfProc ?? bootOfSystem(),
    namespace: namespaceOfSelf(),
    host: hostname(),
  };
  return cachedSelf;
}

/** macOS names each boot. Windows has no such name. */
function bootOfSystem(): string | null {
  if (isLinux ? proc !== null : process.platform !== "darwin") return null;
  return output("sysctl", ["-n", "kern.bootsessionuuid"])?.trim() || null;
}

/** The initial time namespace, by the inode number that every kernel gives it. */
const MACHINE_TIME = "time:[4026531834]";

function namespaceOfSelf(): string | null {
  const pids = attempt(() => readlinkSync("/proc/self/ns/pid"));
  // Absent before Linux 5.6, and then there is only one.
  const time = attempt(() => readlinkSync("/proc/self/ns/time")) ?? MACHINE_TIME;
  return pids === null || time === MACHINE_TIME ? pids : `${pids} ${time}`;
}

function attempt<T>(call: () => T): T | null {
  try {
    return call();
  } catch {
    return null;
  }
}

const isLinux = process.platform === "linux";
const proc = attempt(() => readlinkSync("/proc/self"));
/**
 * Whether /proc shows the processes of our own pid namespace. In a namespace that was entered without
 * mounting /proc anew, it shows the processes outside, and its pids mean other processes.
 */
const hasProc = proc === String(process.pid);
const bootOfProc = attempt(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim());
/** On Linux a process that cannot tell its namespace cannot tell which processes pids mean. */
const canTellPids = bootOfProc === null || namespaceOfSelf() !== null;

/** Name, state and start time of a process. A zombie has ended, though its parent has yet to collect it. */
function statOf(pid: number): { name: string; state: string; start: string } | null {
  const text = attempt(() => readFileSync(`/proc/${pid}/stat`, "latin1"));
  if (text === null) return null;
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const name = text.slice(text.indexOf("(") + 1, text.lastIndexOf(")"));
  return { name, state: stateIn(text), start: fields[19] ?? "" };
}

/** The command's name is in brackets and may itself hold brackets and spaces; the state comes next. */
function stateIn(stat: string): string {
  return stat[stat.lastIndexOf(")") + 2] ?? "?";
}

function hasEnded(state: string): boolean {
  return state === "Z" || state === "X";
}

/** Whether a process of this machine has that pid and has not ended. If that is not known: true. */
export function exists(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  if (hasProc) {
    const stat = statOf(pid);
    if (stat !== null) return !hasEnded(stat.state);
    // Where /proc is mounted with hidepid, it shows no other user's processes: ask the kernel.
  }
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Any other failure, such as EPERM for a process that is not ours, does not say that there is none.
    return systemCode(error) !== "ESRCH";
  }
}

function startOf(pid: number, age?: "new"): string | null {
  if (hasProc) return statOf(pid)?.start ?? null;
  // Where there is a /proc, ps reads it: that does not help if it is another namespace's.
  if (proc !== null) return null;
  if (pid === process.pid) return `@${Math.ceil(performance.timeOrigin)}`;
  const created = age === "new" ? null : createdOf(pid);
  return `@${typeof created === "number" ? created : Date.now()}`;
}
