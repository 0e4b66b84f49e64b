import { lstatSync } from "node:fs";
import { LockError } from "../lock/errors.ts";

/**
 * Refuses a default directory that is not this user's own. It is in a place where every user may create
 * files, and its owner decides who gets a lock.
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
  if (process.platform === "win32") return null;
  const stat = lstatSync(path);
  if (stat.isSymbolicLink()) return "is a symbolic link";
  if (!stat.isDirectory()) return "is not a directory";
  // Not userInfo: it fails for a user without an entry in passwd, as in many containers.
  if (stat.uid !== process.geteuid?.()) return `belongs to another user (uid ${stat.uid})`;
  return (stat.mode & 0o022) === 0 ? null : "is writable by others";
}

/** Whether a directory entry is of this user and of that kind; by itself, so that a link is neither. */
export function isOwn(path: string, kind: "file" | "socket"): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined || !(kind === "file" ? stat.isFile() : stat.isSocket())) return false;
  return process.geteuid === undefined || stat.uid === process.geteuid();
}
