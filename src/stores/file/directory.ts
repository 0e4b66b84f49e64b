import {
  chmodSync,
  closeSync,
  fchmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  statSync,
  unlinkSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { LockError, messageOf, systemCode } from "../../lock/errors.ts";
import { type Place, SIDE_DIRECTORY } from "./place.ts";
import { randomHex } from "./random.ts";

const isWindows = process.platform === "win32";

/** Makes a store's directory where it is missing, and refuses a default one that is not safe. */
export function prepareDirectory(path: string, isDefault: boolean): void {
  try {
    if (isDefault) {
      mkdirUnlessThere(path, 0o700);
      checkDefault(path);
    } else {
      mkdirSync(path, { recursive: true });
    }
    if (!statSync(path).isDirectory()) throw notADirectory(path);
  } catch (error) {
    throw explain(error, path);
  }
}

function notADirectory(path: string): LockError {
  return new LockError(
    "BAD_STORE",
    `The store ${path} is not a directory: name a directory, or a file that ends in .lock.`,
  );
}

/**
 * The default directory is in a place where everybody may create files. Whoever owns it decides who
 * gets a lock, so it must be this user's own.
 */
export function checkDefault(path: string): void {
  const wrong = whyNotPrivate(path);
  if (wrong === null) return;
  throw new LockError(
    "STORE_UNSAFE",
    `The default store ${path} ${wrong}: name a directory that all users of the lock may write to, such as --store /var/lib/holdfast (made with mkdir -m 2770 and a common group).`,
  );
}

/** What keeps a directory from being this user's own; null where it is. */
export function whyNotPrivate(path: string): string | null {
  if (isWindows) return null;
  const stat = lstatSync(path);
  if (stat.isSymbolicLink()) return "is a symbolic link";
  if (!stat.isDirectory()) return "is not a directory";
  // Not userInfo: it fails for a user without an entry in passwd, as in many containers.
  if (stat.uid !== process.geteuid?.()) return `belongs to another user (uid ${stat.uid})`;
  return (stat.mode & 0o022) === 0 ? null : "is writable by others";
}

/** The read and write bits that a directory's mode implies for files in it. */
export function fileMode(directory: string): number | null {
  return isWindows ? null : statSync(directory).mode & 0o666;
}

/** Makes the side directory of a key and its guard, as widely usable as the store's directory. */
export function preparePlace(place: Place): void {
  try {
    const mode = statSync(place.directory).mode & 0o3777;
    sideDirectory(join(place.directory, SIDE_DIRECTORY), mode);
    sideDirectory(place.side, mode);
    makeGuard(place.guard, mode & 0o666);
  } catch (error) {
    throw explain(error, place.directory);
  }
}

/** Only the main thread may change the mask. Loaded when needed: most processes find the directory made. */
function isMainThread(): boolean {
  return process.getBuiltinModule("node:worker_threads").isMainThread;
}

/** With its mode from the first moment: another user may come by before it could be changed. */
function sideDirectory(path: string, mode: number): void {
  if (isWindows || !isMainThread()) {
    if (mkdirUnlessThere(path, 0o700) && !isWindows) chmodSync(path, mode);
    return;
  }
  const mask = process.umask(0);
  try {
    if (!mkdirUnlessThere(path, mode & 0o777)) return;
  } finally {
    process.umask(mask);
  }
  if ((mode & 0o7000) !== 0) chmodSync(path, mode);
}

function mkdirUnlessThere(path: string, mode: number): boolean {
  try {
    mkdirSync(path, { mode });
    return true;
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    throw error;
  }
}

/**
 * The guard appears with its final mode, by link: opening it under its own name and closing it again
 * would drop a lock that this process has on it.
 */
function makeGuard(path: string, mode: number): void {
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) return;
  const temporary = `${path}.${process.pid}.${randomHex(8)}.tmp`;
  const handle = openSync(temporary, "wx", 0o600);
  try {
    if (!isWindows) fchmodSync(handle, mode);
  } finally {
    closeSync(handle);
  }
  try {
    linkSync(temporary, path);
  } catch (error) {
    const code = systemCode(error);
    if (code !== "EEXIST") closeSync(openSync(path, "a", mode));
  } finally {
    unlinkSync(temporary);
  }
}

/** The system's words become a sentence that says what to do. */
export function explain(error: unknown, path: string): LockError {
  if (error instanceof LockError) return error;
  const options = { cause: error };
  switch (systemCode(error)) {
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return new LockError(
        "STORE_DENIED",
        `The store ${path} cannot be used (${messageOf(error)}): let this user write there, or name another directory with --store.`,
        options,
      );
    case "ENOSPC":
    case "EDQUOT":
      return new LockError(
        "STORE_FULL",
        `The disk of the store ${path} is full (${messageOf(error)}): free some space, or name another directory with --store.`,
        options,
      );
    case "EEXIST":
    case "ENOTDIR":
      return notADirectory(dirname(path) === path ? path : path);
    case "ENOENT":
      return new LockError(
        "STORE_UNREACHABLE",
        `The store ${path} is gone (${messageOf(error)}): was its directory removed?`,
        options,
      );
    default:
      return new LockError(
        "STORE_UNREACHABLE",
        `The store ${path} failed: ${messageOf(error)}.`,
        options,
      );
  }
}
