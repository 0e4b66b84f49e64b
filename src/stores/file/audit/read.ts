import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/** Enough for hundreds of lines: the end of the log is read, never all of it. */
const TAIL_BYTES = 64 * 1024;

export interface AuditEntry {
  readonly timestamp: string;
  readonly operation: string;
  readonly lockPath: string;
  readonly details: Record<string, unknown>;
  readonly user: string;
  readonly pid: number;
}

/** The latest entries of an audit log, newest first. Lines that are not entries are left out. */
export function recentAudit(path: string, bytes = TAIL_BYTES): AuditEntry[] {
  let handle: number;
  try {
    handle = openSync(path, "r");
  } catch {
    return [];
  }
  try {
    const { size } = fstatSync(handle);
    const start = Math.max(0, size - bytes);
    const buffer = Buffer.alloc(size - start);
    const length = readSync(handle, buffer, 0, buffer.length, start);
    const lines = buffer.subarray(0, length).toString("utf8").split("\n");
    // The first one is whole only where the log was read from its start.
    if (start > 0) lines.shift();
    return lines.reverse().flatMap(parseEntry);
  } finally {
    closeSync(handle);
  }
}

function parseEntry(line: string): AuditEntry[] {
  try {
    const entry = JSON.parse(line) as AuditEntry;
    return typeof entry.operation === "string" && typeof entry.details === "object" ? [entry] : [];
  } catch {
    return [];
  }
}

export function lastAudit(
  path: string,
  lockPath: string,
  operations: readonly string[],
): AuditEntry | undefined {
  return recentAudit(path).find(
    (entry) => entry.lockPath === lockPath && operations.includes(entry.operation),
  );
}
