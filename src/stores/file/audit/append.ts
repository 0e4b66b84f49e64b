import { closeSync, constants, fstatSync, lstatSync, renameSync, writeSync } from "node:fs";
import { LockError, systemCode } from "../../../lock/errors.ts";
import { preparePlace } from "../disk/directory.ts";
import { Guard } from "../disk/guard.ts";
import { placeOf } from "../disk/place.ts";
import { openOrCreatePlain } from "../disk/plain-file.ts";

/** The audit log is rotated at this size; one older log is kept beside it. */
const AUDIT_LOG_BYTES_LIMIT = 10 * 1024 * 1024;
export const OLDER_LOG_SUFFIX = ".1";

/** No space, no permission. Something else under the log's name is STORE_UNSAFE. */
const NOT_WRITABLE = new Set(["ENOSPC", "EDQUOT", "EACCES", "EPERM", "EROFS"]);

/**
 * Appends a line. Failing to write history must not stop a deployment: a full disk already stops new
 * locks, and a holder has to be able to release.
 */
export function appendLine(
  path: string,
  line: string,
  mode: number | null,
  limit = AUDIT_LOG_BYTES_LIMIT,
): void {
  try {
    const written = append(path, line, mode);
    if (written.size >= limit) rotate(path, written.inode);
  } catch (error) {
    if (!(error instanceof LockError) && !NOT_WRITABLE.has(systemCode(error) ?? "")) throw error;
  }
}

function append(path: string, line: string, mode: number | null): { size: number; inode: bigint } {
  const handle = openOrCreatePlain(path, constants.O_WRONLY | constants.O_APPEND, mode);
  try {
    const stat = fstatSync(handle, { bigint: true });
    const bytes = Buffer.from(line, "utf8");
    // One write, which the kernel puts at the end whole; a second one only after a short one.
    for (let written = 0; written < bytes.length; ) written += writeSync(handle, bytes, written);
    return { size: Number(stat.size) + bytes.length, inode: stat.ino };
  } finally {
    closeSync(handle);
  }
}

/**
 * Rotates the log. Two processes may find it full at once, and the second must not move the first one's new log
 * over the old one. So the move is made under a guard, and only if the file is still the one that was found
 * full. A process that opened that file before the move writes its line to the older log.
 */
export function rotate(path: string, full: bigint): void {
  const place = placeOf("", path);
  const guard = new Guard(place.guard);
  quietly(() => {
    if (!guard.tryEnter({ prepare: () => preparePlace(place) })) return;
    try {
      const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
      if (stat?.ino === full) renameSync(path, path + OLDER_LOG_SUFFIX);
    } finally {
      guard.leave();
    }
  });
  guard.close();
}

function quietly(call: () => void): void {
  try {
    call();
  } catch {
    // Another user's file, or a guard that cannot be had: the line is written all the same.
  }
}
