import { closeSync, constants, fstatSync, readSync } from "node:fs";
import { LockError } from "../../../lock/errors.ts";
import { jsonObject } from "../../../lock/text.ts";
import { openPlain } from "../disk/plain-file.ts";

const BLOCK_BYTES = 64 * 1024;
const NEWLINE = 0x0a;
/** How far back the last word about a lock is looked for: some hundreds of lines. */
const TAIL_BYTES = 64 * 1024;

/** A line of the log, as `entry.ts` writes it; its details are as the writer left them. */
export interface AuditEntry {
  readonly timestamp: string;
  readonly operation: string;
  readonly lockPath: string;
  readonly details: Record<string, unknown>;
  readonly user: string;
  readonly pid: number;
}

/** The latest entry about a lock file with one of these operations. */
export function lastAudit(
  path: string,
  lockPath: string,
  operations: readonly string[],
): AuditEntry | undefined {
  const about = `"lockPath":${JSON.stringify(lockPath)}`;
  for (const entry of entriesBackwards([path], about, TAIL_BYTES))
    if (entry.lockPath === lockPath && operations.includes(entry.operation)) return entry;
  return undefined;
}

/**
 * The entries of logs whose lines contain a text, the last one first; lines that are no entries are
 * left out. `bytes` bounds what is read, however long the caller goes on asking.
 */
export function* entriesBackwards(
  paths: readonly string[],
  text: string,
  bytes: number,
): Generator<AuditEntry, void> {
  for (const line of linesBackwards(paths, Buffer.from(text, "utf8"), bytes)) {
    const entry = parseEntry(line);
    if (entry !== null) yield entry;
  }
}

function parseEntry(line: string): AuditEntry | null {
  const entry = jsonObject(line) as AuditEntry | null;
  const isEntry = typeof entry?.operation === "string" && typeof entry.details === "object";
  return isEntry && entry.details !== null ? entry : null;
}

/** The lines that contain a text, read in blocks from the end of each file. */
function* linesBackwards(
  paths: readonly string[],
  needle: Buffer,
  bytes: number,
): Generator<string, void> {
  const buffer = Buffer.allocUnsafe(BLOCK_BYTES);
  let left = bytes;
  for (const path of paths) {
    const handle = open(path);
    if (handle === null) continue;
    try {
      let end = fstatSync(handle).size;
      /** The end of a line that begins in a block before. */
      let rest: Buffer = Buffer.alloc(0);
      while (end > 0 && left > 0) {
        const start = Math.max(0, end - Math.min(BLOCK_BYTES, left));
        const length = readSync(handle, buffer, 0, end - start, start);
        const block = buffer.subarray(0, length);
        left -= end - start;
        end = start;
        const first = block.indexOf(NEWLINE);
        if (first === -1 && start > 0) {
          rest = Buffer.concat([block, rest]);
          continue;
        }
        const last = block.lastIndexOf(NEWLINE);
        // Only lines that are cut are put together; the many whole lines are searched in place.
        yield* linesWith(needle, Buffer.concat([block.subarray(last + 1), rest]));
        const whole = start === 0 ? 0 : first + 1;
        const found = linesWith(needle, block.subarray(whole, last + 1));
        rest = Buffer.from(block.subarray(0, whole));
        yield* found.reverse();
      }
    } finally {
      closeSync(handle);
    }
  }
}

/** Anything under the log's name that is no plain file is no log. */
function open(path: string): number | null {
  try {
    return openPlain(path, constants.O_RDONLY);
  } catch (error) {
    if (error instanceof LockError) return null;
    throw error;
  }
}

/** Searches bytes: most lines of a log that many keys share never become text. */
function linesWith(needle: Buffer, block: Buffer): string[] {
  const lines: string[] = [];
  let from = 0;
  for (;;) {
    const hit = block.indexOf(needle, from);
    if (hit === -1) return lines;
    const start = block.lastIndexOf(NEWLINE, hit) + 1;
    const next = block.indexOf(NEWLINE, hit);
    const end = next === -1 ? block.length : next;
    lines.push(block.toString("utf8", start, end));
    from = end;
  }
}
