import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LockError, messageOf } from "../lock/errors.ts";
import { encodeKey } from "../lock/key.ts";
import { whyNotPrivate } from "../machine/private-directory.ts";

/**
 * Where leases are kept: with the job's other temporary files, which the runner empties, or in one
 * directory a user, which every shell of that user finds whatever its TMPDIR.
 */
export function leaseDirectory(env: NodeJS.ProcessEnv): string {
  if (env.RUNNER_TEMP) return join(env.RUNNER_TEMP, "holdfast");
  if (process.platform === "win32") return join(env.LOCALAPPDATA ?? tmpdir(), "holdfast", "leases");
  return `/tmp/holdfast-leases-${process.geteuid?.() ?? 0}`;
}

/** Makes it, for this user alone. */
export function prepareLeaseDirectory(env: NodeJS.ProcessEnv): string {
  const directory = leaseDirectory(env);
  const refuse = (wrong: string, cause?: unknown) =>
    new LockError(
      "LEASE_DIRECTORY",
      `The lease directory ${directory} ${wrong}: remove it, or set RUNNER_TEMP to a directory of your own.`,
      { cause },
    );
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw refuse(`cannot be made (${messageOf(error)})`, error);
  }
  const wrong = whyNotPrivate(directory);
  if (wrong !== null) throw refuse(wrong);
  return directory;
}

/** A name of its own for every claim: two matrix legs on one runner must not share one. */
export function newLeasePath(directory: string, key: string): string {
  return join(directory, `${encodeKey(key).slice(0, 60)}-${randomBytes(6).toString("hex")}.json`);
}
