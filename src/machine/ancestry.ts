import { readFileSync } from "node:fs";
import { openProcesses, type ProcessMark } from "./processes.ts";

/** No chain of processes is longer; a system that lies must not be followed for ever. */
const GENERATIONS = 256;

/** Whether this process is the marked one, or was started by it or by one of its descendants. */
export function descendsFrom(mark: ProcessMark): boolean {
  if (openProcesses({ sharedFilesystem: false }).alive(mark) !== true) return false;
  let pid = process.pid;
  for (let generation = 0; generation < GENERATIONS && pid > 1; generation++) {
    if (pid === mark.pid) return true;
    pid = parentOf(pid);
  }
  return pid === mark.pid;
}

/** The parent of a process; 0 where it cannot be seen. */
function parentOf(pid: number): number {
  if (pid === process.pid) return process.ppid;
  try {
    if (process.platform === "linux") {
      const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
      // The command's name is in brackets and may hold anything; state and parent come next.
      return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]) || 0;
    }
    if (process.platform === "win32") return 0;
    const { execFileSync } = process.getBuiltinModule("node:child_process");
    return (
      Number(execFileSync("ps", ["-o", "ppid=", "-p", String(pid)], { encoding: "utf8" })) || 0
    );
  } catch {
    return 0;
  }
}
