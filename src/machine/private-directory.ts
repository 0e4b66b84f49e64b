import { lstatSync } from "node:fs";
import { LockError } from "../lock/errors.ts";

/**
 * Refuses a default directory that is not this user's own. Every user may create files in the place
 * where it is, and the directory's owner decides who gets a lock.
 */
export function checkDefault(path: string): void {
  const wrong = whyNotPrivate(path);
  if (wrong === null) return;
  throw new LockError(
    "STORE_UNSAFE",
    `The default store ${path} ${wrong}: name a directory that all users of the lock may write to, such as --store /var/lib/holdfast (made with mkdir -m 2770 and a common group).`,
  );
}

/** Why a directory is not this user's own; null if it is. */
export function whyNotPrivate(path: string): string | null {
  if (process.platform === "win32") return null;
  const stat = lstatSync(path);
  if (stat.isSymbolicLink()) return "is a symbolic link";
  if (!stat.isDirectory()) return "is not a directory";
  // Not userInfo: it fails for a user without an entry in passwd, as in many containers.
  if (stat.uid !== process.geteuid?.()) return `belongs to another user (uid ${stat.uid})`;
  return (stat.mode & 0o022) === 0 ? null : "is writable by others";
}

/** Whether a directory entry is this user's and of that kind. Links are not followed: a link is of another kind. */
export function isOwn(path: string, kind: "file" | "socket"): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined || !(kind === "file" ? stat.isFile() : stat.isSocket())) return false;
  return process.geteuid === undefined || stat.uid === process.geteuid();
}
