import { readFileSync, statSync } from "node:fs";

/** Names the process that has a kernel lock on a file, where the system tells (Linux). */
export function whoLocks(path: string): string | null {
  try {
    const stat = statSync(path, { bigint: true });
    const pid = lockingPid(readFileSync("/proc/locks", "utf8"), stat.dev, stat.ino);
    return pid === null ? null : describe(pid);
  } catch {
    return null;
  }
}

/** Lines such as `1: POSIX  ADVISORY  WRITE 4711 fd:01:1234 1073741826 1073742335`. */
export function lockingPid(locks: string, device: bigint, inode: bigint): number | null {
  const major = ((device >> 8n) & 0xfffn) | ((device >> 32n) & ~0xfffn);
  const minor = (device & 0xffn) | ((device >> 12n) & ~0xffn);
  const hex = (value: bigint) => value.toString(16).padStart(2, "0");
  const file = `${hex(major)}:${hex(minor)}:${inode}`;
  for (const line of locks.split("\n")) {
    const fields = line.trim().split(/\s+/);
    if (fields[3] === "WRITE" && fields[5] === file) return Number(fields[4]);
  }
  return null;
}

function describe(pid: number): string {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  const state = stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3);
  return `process ${pid}${state === "T" ? " (stopped)" : ""}`;
}
