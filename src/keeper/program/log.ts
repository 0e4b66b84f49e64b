import { appendFileSync, readFileSync } from "node:fs";
import { logPath } from "../lease-file.ts";

/** The keeper's log, for a person who wants to know what went wrong. No secret is ever in it. */
export interface KeeperLog {
  write(line: string): void;
}

export function openLog(leaseFile: string): KeeperLog {
  const path = logPath(leaseFile);
  return {
    write: (line) => {
      try {
        appendFileSync(path, `${new Date().toISOString()} ${line}\n`, { mode: 0o600 });
      } catch {
        // The job's directory is gone, and so is the job: nobody will read this log.
      }
    },
  };
}

/** The lines of a keeper's log; none where there is no log. */
export function readLog(leaseFile: string): string[] {
  try {
    return readFileSync(logPath(leaseFile), "utf8").trimEnd().split("\n");
  } catch {
    return [];
  }
}
