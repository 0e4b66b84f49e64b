import { lstatSync, readlinkSync, realpathSync, type Stats, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve, sep } from "node:path";
import { LockError, systemCode } from "../../../lock/errors.ts";
import { hasControl, quote } from "../../../lock/text.ts";
import { checkDefault } from "../../../machine/private-directory.ts";
import { inside, LOCK_SUFFIX } from "./place.ts";

const isWindows = process.platform === "win32";

/**
 * Where a file store is: a directory of locks, or one lock file. `isDefault`: it is the default
 * directory, or a lock file in it, which must be this user's own.
 */
export interface Location {
  readonly kind: "directory" | "lock";
  readonly path: string;
  readonly isDefault: boolean;
  /**
   * The directory that no link may lead out of: the working directory, for a store that was named
   * relative to it. That is often a checkout, whose links were written by other people.
   */
  readonly within: string | null;
}

/**
 * One fixed place for the whole machine: two runners on it must meet, whatever their TMPDIR. Under its
 * real name: on macOS /tmp is a link.
 */
export function defaultDirectory(env: NodeJS.ProcessEnv = process.env): string {
  const parent = isWindows ? (env.ProgramData ?? "C:\\ProgramData") : "/tmp";
  return join(resolveDirectory(parent), "holdfast");
}

/** Whether a path leads to the default directory, by whatever path its parent directory is named. */
function isDefaultDirectory(path: string): boolean {
  if (basename(path) !== "holdfast") return false;
  try {
    return join(resolveDirectory(dirname(path)), "holdfast") === defaultDirectory();
  } catch {
    // What is wrong with the path is said where it is used.
    return false;
  }
}

export function parseLocation(store: string, workingDirectory: string): Location {
  const path = /^file:/i.test(store) ? pathOfUrl(store) : store;
  if (path === "")
    return { kind: "directory", path: defaultDirectory(), isDefault: true, within: null };
  if (hasControl(path)) throw badStore(store, "contains a control character");
  if (!path.isWellFormed()) throw badStore(store, "is not valid Unicode");
  if (path.split(/[/\\]/).includes("..")) {
    throw badStore(store, "contains a .. segment: name the directory itself");
  }
  const absolute = isAbsolute(path) ? resolve(path) : resolve(workingDirectory, path);
  const isLock = absolute.endsWith(LOCK_SUFFIX) && !path.endsWith("/") && !path.endsWith(sep);
  const directory = isLock ? dirname(absolute) : absolute;
  return {
    kind: isLock ? "lock" : "directory",
    path: absolute,
    isDefault: isDefaultDirectory(directory),
    within: isAbsolute(path) ? null : resolve(workingDirectory),
  };
}

/** `file:/abs`, `file:///abs`, `file://localhost/abs`, `file:relative`. */
function pathOfUrl(url: string): string {
  let rest = url.slice("file:".length);
  if (rest.startsWith("//")) {
    const slash = rest.indexOf("/", 2);
    const host = slash === -1 ? rest.slice(2) : rest.slice(2, slash);
    if (host !== "" && host !== "localhost") {
      throw badStore(
        url,
        `names the host ${quote(host)}: a file is on this machine, write file:///path${isWindows ? ", or file:////host/share for a share" : ""}`,
      );
    }
    rest = slash === -1 ? "" : rest.slice(slash);
  }
  if (/[?#]/.test(rest)) throw badStore(url, "contains ? or #: write them as %3F and %23");
  let path: string;
  try {
    path = decodeURIComponent(rest);
  } catch {
    throw badStore(url, "has a broken percent-encoding");
  }
  return isWindows && /^\/[A-Za-z]:/.test(path) ? path.slice(1) : path;
}

function badStore(store: string, wrong: string): LockError {
  return new LockError("BAD_STORE", `The store ${quote(store, 120)} ${wrong}.`);
}

/** How a store names itself: a file URL that leads back to it. */
export function locationUrl(location: Location): string {
  // A last slash marks a directory whose name ends as a lock file's does.
  const slash = location.kind === "directory" && location.path.endsWith(LOCK_SUFFIX) ? "/" : "";
  // A path of Windows as a URL has it: `/C:/locks`, and `////server/share` for `\\server\share`, since
  // what follows two slashes would be a host.
  const plain = isWindows
    ? location.path
        .replaceAll("\\", "/")
        .replace(/^(?=[A-Za-z]:)/, "/")
        .replace(/^(?=\/\/)/, "//")
    : location.path;
  const path = encodeURI(plain + slash);
  return `file:${path.replace(/[?#]/g, (c) => (c === "?" ? "%3F" : "%23"))}`;
}

/** As many links as the kernel itself follows. */
const LINK_LIMIT = 40;

/**
 * The path that a lock file really has, so that two ways to it share one guard and one line. Dangling links are
 * followed too: the lock then appears where the link points. In a directory that several users share, each of
 * them can make a link. So a link is followed only if it cannot lead to a file that its maker wants changed or
 * removed by another user (the owners and the name are checked).
 */
export function resolveLock(path: string, within: string | null = null): string {
  let current = path;
  for (let links = 0; links < LINK_LIMIT; links++) {
    const directory = resolveDirectory(dirname(current));
    current = join(directory, basename(current));
    const stat = lstatSync(current, { throwIfNoEntry: false });
    if (!stat?.isSymbolicLink()) {
      if (links > 0) checkTarget(path, current);
      checkWithin(path, current, within);
      return current;
    }
    if (!isTrusted(stat))
      throw unsafeLink(
        path,
        `it belongs to another user (uid ${stat.uid}), who may lead it anywhere`,
      );
    current = resolve(directory, readlinkSync(current));
  }
  throw new LockError(
    "BAD_STORE",
    `The lock file ${quote(path, 120)} is a loop of symbolic links.`,
  );
}

function checkTarget(link: string, target: string): void {
  if (!target.endsWith(LOCK_SUFFIX))
    throw unsafeLink(
      link,
      `it leads to ${quote(target, 120)}, which does not end in ${LOCK_SUFFIX}`,
    );
  const directory = nearestExisting(dirname(target));
  const stat = statSync(directory);
  if (!isTrusted(stat))
    throw unsafeLink(
      link,
      `it leads to ${quote(directory, 120)}, which belongs to another user (uid ${stat.uid})`,
    );
}

/** Whether this user or root made it. On Windows this is not checked. */
function isTrusted(stat: Stats): boolean {
  return process.geteuid === undefined || stat.uid === process.geteuid() || stat.uid === 0;
}

function checkWithin(named: string, path: string, within: string | null): void {
  if (within === null) return;
  const root = resolveDirectory(within);
  if (path === root || path.startsWith(inside(root, ""))) return;
  throw new LockError(
    "STORE_UNSAFE",
    `${quote(named, 120)} leads out of the working directory by a symbolic link, to ${quote(path, 120)}: links in a checkout are written by other people; name the place itself, by its absolute path.`,
  );
}

function unsafeLink(path: string, why: string): LockError {
  return new LockError(
    "STORE_UNSAFE",
    `The lock file ${quote(path, 120)} is a symbolic link that is not followed, since ${why}: remove it, or name the lock file itself.`,
  );
}

/** The directory itself, or the nearest one above it that is there. */
export function nearestExisting(path: string): string {
  const parent = dirname(path);
  const exists = statSync(path, { throwIfNoEntry: false }) !== undefined;
  return exists || parent === path ? path : nearestExisting(parent);
}

/** A directory that may not exist yet: what exists of it is resolved. */
function resolveDirectory(path: string): string {
  try {
    // The other form of realpath, in JavaScript, asks about every part of the path separately.
    return realpathSync.native(path);
  } catch (error) {
    const code = systemCode(error);
    if (code !== "ENOENT") throw error;
    const parent = dirname(path);
    if (parent === path) return path;
    const here = join(resolveDirectory(parent), basename(path));
    const stat = lstatSync(here, { throwIfNoEntry: false });
    return stat?.isSymbolicLink()
      ? resolveDirectory(resolve(dirname(here), readlinkSync(here)))
      : here;
  }
}

/**
 * Resolves links, so that two ways to one directory meet at one guard. The default must not be a link at all.
 */
export function resolveLocation(location: Location): Location {
  if (location.kind === "lock") {
    // The link itself is looked at before it is resolved: afterwards it would be the directory that it leads to.
    if (location.isDefault && isThere(dirname(location.path))) checkDefault(dirname(location.path));
    return { ...location, path: resolveLock(location.path, location.within) };
  }
  if (location.isDefault) return { ...location, path: defaultDirectory() };
  const path = resolveDirectory(location.path);
  checkWithin(location.path, path, location.within);
  return { ...location, path };
}

/** A link that leads nowhere is there, too. */
function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
