import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  renameSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { systemCode } from "../../../lock/errors.ts";
import { appendLine } from "../audit/append.ts";
import type { Descriptor, World } from "../protocol/world.ts";
import { absentAs, diskView } from "./disk-view.ts";

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

/** Synchronous on purpose: under the guard nothing may come between two steps, and it is faster. */
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

/** A symlink is not followed: what it leads to is not a lock that was taken here. */
function open(path: string): Descriptor {
  const handle = openSync(path, constants.O_RDWR | (constants.O_NOFOLLOW ?? 0));
  return { handle, inode: String(fstatSync(handle, { bigint: true }).ino) };
}

/** Before a file appears under its name it gets the bits that its directory's mode implies. */
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
  const handle = openSync(path, constants.O_WRONLY | constants.O_CREAT, 0o600);
  try {
    if (options.mode !== null && (fstatSync(handle).mode & 0o666) !== options.mode)
      quietly(() => widen(handle, options));
    writeWhole(handle, content, 0);
  } finally {
    closeSync(handle);
  }
}

function quietly(call: () => void): void {
  try {
    call();
  } catch {
    // Another user's file: its mode is theirs to set, and it was set when it was made.
  }
}
