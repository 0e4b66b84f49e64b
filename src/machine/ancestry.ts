import { existsSync, readFileSync } from "node:fs";
import { type ListedProcess, listProcesses } from "./process-table.ts";
import { openProcesses, type ProcessMark } from "./processes.ts";

/** No real chain of processes is longer: a bound, in case the system's answers go in a circle. */
const GENERATIONS = 256;

/** Whether this process is the marked one, or was started by it or by one of its descendants. */
export function descendsFrom(mark: ProcessMark): boolean {
  if (openProcesses({ sharedFilesystem: false }).alive(mark) !== true) return false;
  const parentOf = existsSync("/proc/self/stat") ? parentInProc : parentIn(listProcesses() ?? []);
  let pid = process.pid;
  for (let generation = 0; generation < GENERATIONS && pid > 1; generation++) {
    if (pid === mark.pid) return true;
    pid = pid === process.pid ? process.ppid : parentOf(pid);
  }
  return pid === mark.pid;
}

/** The parent of a process; 0 where it cannot be seen. */
function parentInProc(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The command's name is in brackets and may hold anything; state and parent come next.
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]) || 0;
  } catch {
    return 0;
  }
}

function parentIn(all: readonly ListedProcess[]): (pid: number) => number {
  return (pid) => all.find((each) => each.pid === pid)?.parent ?? 0;
}

/**
 * The process that called Holdfast on Windows; `acquire` holds its lock for it. It is the parent, or,
 * where the parent is the cmd.exe of npm's shim, which ends with this process, the parent of that. Null
 * if it cannot be found: then the user has to name it. That is so below a POSIX shell: MSYS and Cygwin
 * start programs through a process that ends with the program and has the shell's own name.
 */
export function callerOf(parent: number, all: readonly ListedProcess[]): number | null {
  let child: ListedProcess | undefined;
  for (let pid = parent, generation = 0; generation < GENERATIONS; generation++) {
    const found = all.find((each) => each.pid === pid);
    // On Windows a process keeps the pid of a parent that has ended, and another may have that pid now.
    if (found === undefined || isYounger(found, child)) return null;
    if (/^(?:ba|da|z|k|mk|fi|a)?sh\.exe$/i.test(found.name)) return null;
    if (!/^cmd\.exe$/i.test(found.name)) return pid;
    if (found.command === "") return null;
    if (!isShim(found.command)) return pid;
    child = found;
    pid = found.parent;
  }
  return null;
}

/** Whether a command line is that of a cmd.exe which runs the shim and nothing after it. */
function isShim(command: string): boolean {
  const line = /\s\/c\s*(.*?)\s*$/i.exec(command)?.[1] ?? "";
  // cmd.exe takes the outer quotes away.
  const words = line.replace(/^"(.*)"$/, "$1");
  const shim = /^\s*"?(?:[^"&|]*\\)?holdfast(?:\.cmd)?"?(?=\s|$)/i.exec(words)?.[0];
  // In quotes, and after ^, an operator is text.
  return shim !== undefined && !/[&|]/.test(words.slice(shim.length).replace(/"[^"]*"?|\^./g, ""));
}

function isYounger(one: ListedProcess, other: ListedProcess | undefined): boolean {
  return (one.created ?? 0) > (other?.created ?? Number.POSITIVE_INFINITY);
}
