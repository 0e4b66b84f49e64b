import { closeSync, constants, fchmodSync, fstatSync, openSync, type Stats } from "node:fs";
import { LockError, systemCode } from "../../../lock/errors.ts";

/** A link is not followed, and a fifo is not waited for. */
export const SAFELY = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** What the system says about a link, a fifo without a reader, a device that is not there, a directory. */
const NOT_PLAIN = new Set(["ELOOP", "EMLINK", "ENXIO", "ENODEV", "EISDIR"]);

/**
 * Opens a plain file, which is regular and has one name; null if there is none. In a directory that several
 * users share, each can put something else under a file's name: a link or a second name of one of our files
 * would be written to, a fifo would be waited for.
 */
export function openPlain(path: string, flags: number): number | null {
  let handle: number;
  try {
    handle = openSync(path, flags | SAFELY);
  } catch (error) {
    const code = systemCode(error) ?? "";
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw NOT_PLAIN.has(code) ? notPlain(path) : error;
  }
  const stat = fstatSync(handle);
  if (stat.isFile() && stat.nlink <= 1) return handle;
  closeSync(handle);
  throw notPlain(path);
}

/**
 * Opens a plain file, or creates it with these read and write bits (null: 0600). The mode of a file that is
 * already there stays as it is, since the file may not be ours. The exception is a file of this user's that is
 * still empty: a crash left it before it had its mode.
 */
export function openOrCreatePlain(path: string, flags: number, mode: number | null): number {
  for (let tries = 0; ; tries++) {
    const handle = openPlain(path, flags) ?? createPlain(path, flags, tries);
    if (handle === null) continue;
    const stat = fstatSync(handle);
    if (mode !== null && isUnfinished(stat) && (stat.mode & 0o666) !== mode)
      fchmodSync(handle, mode);
    return handle;
  }
}

/** Null where another process created it meanwhile. */
function createPlain(path: string, flags: number, tries: number): number | null {
  try {
    return openSync(path, flags | SAFELY | constants.O_CREAT | constants.O_EXCL, 0o600);
  } catch (error) {
    if (systemCode(error) === "EEXIST" && tries < CREATE_TRIES) return null;
    throw error;
  }
}

/** More tries than the races of two processes can need; a name that comes and goes for ever is an error. */
const CREATE_TRIES = 10;

function isUnfinished(stat: Stats): boolean {
  return stat.size === 0 && (process.geteuid === undefined || stat.uid === process.geteuid());
}

export function notPlain(path: string): LockError {
  return new LockError(
    "STORE_UNSAFE",
    `${path} is not a plain file of its own (a link, a fifo, a device or a second name of another file): remove it, and see who may write to that directory.`,
  );
}
