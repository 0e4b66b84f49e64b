import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  unlinkSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { LockError, systemCode } from "../../../lock/errors.ts";
import { checkDefault } from "../../../machine/private-directory.ts";
import { randomHex } from "../../../machine/random.ts";
import { LOCK_FILE_BYTES_LIMIT, parseLock } from "../format/format.ts";
import { explain, notADirectory, notALock } from "./errors.ts";
import { type Place, SIDE_DIRECTORY } from "./place.ts";

const isWindows = process.platform === "win32";

/** Makes a store's directory if it is missing, and refuses a default one that is not safe. */
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

/** The read and write bits that a directory's mode implies for files in it. */
export function fileMode(directory: string): number | null {
  return isWindows ? null : statSync(directory).mode & 0o666;
}

/** Makes the side directory of a key and its guard, as widely usable as the store's directory. */
export function preparePlace(place: Place): void {
  try {
    const mode = statSync(place.directory).mode & 0o3777;
    if (place.linked) checkTarget(place.lock);
    sideDirectory(join(place.directory, SIDE_DIRECTORY), mode);
    sideDirectory(place.side, mode);
    makeGuard(place.guard, mode & 0o666);
  } catch (error) {
    throw explain(error, place.directory);
  }
}

/**
 * Refuses a link to something that is no lock. Links in a checkout are written by other people: a link to
 * `poetry.lock` of another project must not leave Holdfast's files beside that.
 */
function checkTarget(path: string): void {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return;
  const isSmall = stat.isFile() && stat.size <= LOCK_FILE_BYTES_LIMIT;
  if (!isSmall || parseLock(readFileSync(path)).kind === "unreadable") throw notALock(path);
}

/** Only the main thread may change the mask. Loaded when needed: most processes find the directory made. */
function isMainThread(): boolean {
  return process.getBuiltinModule("node:worker_threads").isMainThread;
}

/** With its mode from the first moment: another user may come by before the mode could be changed. */
function sideDirectory(path: string, mode: number): void {
  // Mostly it is there: asking is far cheaper than an exception.
  const isThere = lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  if (!isThere && makeDirectory(path, mode) && !isWindows) changeMode(path, mode);
  checkSideDirectory(path);
}

function makeDirectory(path: string, mode: number): boolean {
  if (isWindows || !isMainThread()) return mkdirUnlessThere(path, 0o700);
  const mask = process.umask(0);
  try {
    return mkdirUnlessThere(path, mode & 0o1777);
  } finally {
    process.umask(mask);
  }
}

/** Sets the mode of a directory that was just made, through a descriptor: its name may be a link by now. */
function changeMode(path: string, mode: number): void {
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
  const handle = openSync(path, flags);
  try {
    const stat = fstatSync(handle);
    if (stat.uid === process.geteuid?.() && (stat.mode & 0o7777) !== mode) fchmodSync(handle, mode);
  } finally {
    closeSync(handle);
  }
}

/** Refuses a key whose files would be led elsewhere. */
export function checkSideDirectories(place: Pick<Place, "side">): void {
  checkSideDirectory(dirname(place.side));
  checkSideDirectory(place.side);
}

/** Refuses a side directory that is a link: it would lead guard, line and fence elsewhere. */
function checkSideDirectory(path: string): void {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined || stat.isDirectory()) return;
  throw new LockError(
    "STORE_UNSAFE",
    `${path} is not a directory${stat.isSymbolicLink() ? ", but a symbolic link" : ""}: remove it, and see who may write to the directory that it is in.`,
  );
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
  // Windows has no modes, and a second name of a guard that is open could never be removed.
  if (isWindows) {
    createGuard(path);
    return;
  }
  const temporary = `${path}.${process.pid}.${randomHex(8)}.tmp`;
  const handle = openSync(temporary, "wx", 0o600);
  try {
    fchmodSync(handle, mode);
  } finally {
    closeSync(handle);
  }
  try {
    linkSync(temporary, path);
  } catch (error) {
    const code = systemCode(error);
    if (code !== "EEXIST") createGuard(path, mode);
  } finally {
    unlinkSync(temporary);
  }
}

/** For filesystems without hard links. Exclusive: a link in its place is not followed. */
function createGuard(path: string, mode?: number): void {
  try {
    const handle = openSync(path, "wx", 0o600);
    if (mode !== undefined) fchmodSync(handle, mode);
    closeSync(handle);
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error;
  }
}
