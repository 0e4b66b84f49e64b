import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { LockError, systemCode } from "../../../lock/errors.ts";
import { appendLine } from "../audit/append.ts";
import { LOCK_FILE_BYTES_LIMIT } from "../format/format.ts";
import type { Descriptor, FileView, World } from "../protocol/world.ts";
import { openOrCreatePlain, SAFELY } from "./plain-file.ts";

export interface DiskOptions {
  /** Read and write bits for new files, from the directory's own mode; null: leave them 0600. */
  readonly mode: number | null;
  /** Sync new lock files to the disk before they appear, as the sema protocol asks. */
  readonly sync: boolean;
}

type Disk = Pick<
  World,
  | "list"
  | "read"
  | "inode"
  | "create"
  | "open"
  | "link"
  | "rename"
  | "remove"
  | "put"
  | "append"
  | "overwrite"
  | "close"
>;

/** The disk's steps. Synchronous on purpose: under the guard nothing may come between two, and it is faster. */
export function openDisk(options: DiskOptions): Disk {
  return {
    ...diskView,
    create: (path, content) => create(path, content, options),
    open: (path) => absentAs(null, () => open(path)),
    link,
    rename: (from, to) => wasThere(() => renameSync(from, to)),
    remove: (path) => wasThere(() => unlinkSync(path)),
    put: (path, content) => put(path, content, options),
    append: (path, line) => appendLine(path, line, options.mode),
    overwrite: (descriptor, content) => writeWhole(descriptor.handle, content, 0),
    close: (descriptor) => closeSync(descriptor.handle),
  };
}

function wasThere(call: () => void): boolean {
  return absentAs(false, () => {
    call();
    return true;
  });
}

function create(path: string, content: string, options: DiskOptions): Descriptor {
  const handle = openSync(path, "wx+", 0o600);
  try {
    writeWhole(handle, content, 0);
    widen(handle, options);
    if (options.sync) fsyncSync(handle);
    return { handle, inode: String(fstatSync(handle, { bigint: true }).ino) };
  } catch (error) {
    closeSync(handle);
    wasThere(() => unlinkSync(path));
    throw error;
  }
}

/** Opens a lock to be overwritten. A link is not followed: it does not lead to a lock that was taken here. */
function open(path: string): Descriptor {
  const handle = openSync(path, constants.O_RDWR | SAFELY);
  return { handle, inode: String(fstatSync(handle, { bigint: true }).ino) };
}

/** Gives a file the bits that its directory's mode implies, before the file appears under its name. */
function widen(handle: number, options: DiskOptions): void {
  if (options.mode !== null && options.mode !== 0o600) fchmodSync(handle, options.mode);
}

function writeWhole(handle: number, content: string, position: number): void {
  const bytes = Buffer.from(content, "utf8");
  let written = 0;
  while (written < bytes.length) {
    written += writeSync(handle, bytes, written, bytes.length - written, position + written);
  }
}

function link(from: string, to: string): "linked" | "exists" | "source-gone" | "unsupported" {
  try {
    linkSync(from, to);
    return "linked";
  } catch (error) {
    switch (systemCode(error)) {
      case "EEXIST":
        // Over a network a repeated request can fail although the first one did its work.
        return sameFile(from, to) ? "linked" : "exists";
      case "ENOENT":
        return "source-gone";
      case "EPERM":
      case "ENOTSUP":
      case "EOPNOTSUPP":
      case "ENOSYS":
      case "EMLINK":
        return "unsupported";
      default:
        throw error;
    }
  }
}

function sameFile(from: string, to: string): boolean {
  return absentAs(
    false,
    () => lstatSync(from, { bigint: true }).ino === lstatSync(to, { bigint: true }).ino,
  );
}

function put(path: string, content: string, options: DiskOptions): void {
  const handle = openOrCreatePlain(path, constants.O_WRONLY, options.mode);
  try {
    writeWhole(handle, content, 0);
  } finally {
    closeSync(handle);
  }
}

/** The steps that only look, for a process that changes nothing. */
export const diskView: Pick<World, "list" | "read" | "inode"> = {
  list: (directory) => absentAs([], () => readdirSync(directory)),
  read: readFile,
  inode: inodeOf,
};

function absentAs<T>(absent: T, call: () => T): T {
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
    handle = openSync(path, constants.O_RDONLY | SAFELY);
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    // This user may not read it, but it is a lock: an unknown holder has it.
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

/** A file may grow between the question for its size and the reading: half of it would look damaged. */
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
