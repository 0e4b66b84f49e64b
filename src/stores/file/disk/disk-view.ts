import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
} from "node:fs";
import { LockError, systemCode } from "../../../lock/errors.ts";
import { LOCK_FILE_BYTES_LIMIT } from "../format/format.ts";
import type { FileView, World } from "../protocol/world.ts";

/** The steps that only look. Synchronous, as the others are: see disk.ts. */
export const diskView: Pick<World, "list" | "read" | "inode"> = {
  list: (directory) => absentAs([], () => readdirSync(directory)),
  read: readFile,
  inode: inodeOf,
};

export function absentAs<T>(absent: T, call: () => T): T {
  try {
    return call();
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return absent;
    throw error;
  }
}

function inodeOf(path: string): string | null {
  const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? null : String(stat.ino);
}

function readFile(path: string, likely?: "likely"): FileView | null {
  if (likely === undefined) {
    // Mostly a lock is free: asking first is far cheaper than an exception.
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) return null;
    if (found.isDirectory()) throw directoryInTheWay(path);
  }
  let handle: number;
  try {
    // Not blocking: a fifo under a lock's name must not hang us. A symlink is not followed.
    handle = openSync(
      path,
      constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0),
    );
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    // Not ours to read, and yet somebody's lock: held by an unknown holder.
    if (code === "EACCES" || code === "EPERM")
      return unreadableView(path, "this user may not read it");
    if (code === "ELOOP") return unreadableView(path, "it is a symbolic link");
    throw error;
  }
  try {
    const stat = fstatSync(handle, { bigint: true });
    const view = { inode: String(stat.ino), modified: Number(stat.mtimeMs) };
    if (!stat.isFile()) return { ...view, content: Buffer.alloc(0), problem: "it is not a file" };
    return { ...view, content: readToEnd(handle, Number(stat.size)) };
  } finally {
    closeSync(handle);
  }
}

/** A file may grow between being asked for its size and being read: half of it would look damaged. */
function readToEnd(handle: number, size: number): Buffer {
  let buffer = Buffer.allocUnsafe(Math.min(size, LOCK_FILE_BYTES_LIMIT) + 1);
  let length = 0;
  for (;;) {
    const wanted = buffer.length - length;
    const read = readSync(handle, buffer, length, wanted, length);
    length += read;
    // A short read of a file is its end: one call less for every lock that is looked at.
    if (read < wanted || length > LOCK_FILE_BYTES_LIMIT) return buffer.subarray(0, length);
    buffer = Buffer.concat([buffer], Math.min(buffer.length * 2, LOCK_FILE_BYTES_LIMIT + 1));
  }
}

function unreadableView(path: string, problem: string): FileView | null {
  const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (stat === undefined) return null;
  const modified = Number(stat.mtimeMs);
  return { inode: String(stat.ino), modified, content: Buffer.alloc(0), problem };
}

function directoryInTheWay(path: string): LockError {
  return new LockError(
    "BAD_LOCK_FILE",
    `${path} is a directory where a lock file should be: remove or rename it, or use another key or store.`,
  );
}
