import { readdirSync, readFileSync } from "node:fs";

export interface Tracked {
  readonly pid: number;
  readonly command: string;
}

/** The running processes that carry a job's id in their environment. */
export function trackedProcesses(trackingId: string): Tracked[] {
  return processesWith("RUNNER_TRACKING_ID", trackingId);
}

/** The running processes that were started with this variable. */
export function processesWith(variable: string, value: string): Tracked[] {
  const mark = `${variable}=${value}`;
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      // A zombie's environment is empty, and another user's cannot be read: neither is one of ours.
      if (!read(`/proc/${name}/environ`).split("\0").includes(mark)) return [];
      const command = read(`/proc/${name}/cmdline`).replaceAll("\0", " ").trim();
      return [{ pid: Number(name), command }];
    });
}

/** What the runner does in "Complete job": no process of the job gets to run a handler. */
export function sweep(trackingId: string): Tracked[] {
  const found = trackedProcesses(trackingId);
  for (const { pid } of found) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It ended by itself in the meantime.
    }
  }
  return found;
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
