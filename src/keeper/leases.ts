import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LockError, messageOf } from "../lock/errors.ts";
import { encodeKey } from "../lock/key.ts";
import type { Store } from "../lock/store.ts";
import { whyNotPrivate } from "../machine/private-directory.ts";
import { openProcesses } from "../machine/processes.ts";
import { openStore } from "../stores/open.ts";
import { type LeaseFile, leasesIn, removeLeaseFile } from "./lease-file.ts";
import { removeSocket } from "./socket.ts";

/**
 * The directory of the leases. In CI it is among the job's temporary files, which the runner removes;
 * else there is one for each user, which every shell of that user finds whatever its TMPDIR.
 */
export function leaseDirectory(env: NodeJS.ProcessEnv): string {
  if (env.RUNNER_TEMP) return join(env.RUNNER_TEMP, "holdfast");
  if (process.platform === "win32") return join(env.LOCALAPPDATA ?? tmpdir(), "holdfast", "leases");
  return `/tmp/holdfast-leases-${process.geteuid?.() ?? 0}`;
}

/** Makes the directory of the leases, for this user alone. */
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

/** The path of a new lease file. Each claim has its own: two matrix legs on one runner must not share one. */
export function newLeasePath(directory: string, key: string): string {
  return join(directory, `${encodeKey(key).slice(0, 60)}-${randomBytes(6).toString("hex")}.json`);
}

/** Refuses a second claim of a key in one job: it would wait for the first one, which ends with the job. */
export function refuseTwice(directory: string, key: string, store: string): void {
  for (const { lease } of leasesIn(directory)) {
    if (isKept(lease) && lease.key === key && lease.store === store) {
      throw new LockError(
        "ALREADY_HELD",
        `This job already holds ${JSON.stringify(key)} in ${store}: a second claim would wait for itself. Claim a key once in a job.`,
      );
    }
  }
}

function isKept(lease: LeaseFile): boolean {
  const { alive } = openProcesses({ sharedFilesystem: false });
  return lease.state === "held" && alive(lease.keeper) !== false;
}

/** Removes the leases that are of no use any more: their keeper and their watched process have both ended. */
export function sweepLeases(directory: string): void {
  const { alive } = openProcesses({ sharedFilesystem: false });
  for (const { path, lease } of leasesIn(directory)) {
    const watchedGone = lease.watched === null || alive(lease.watched) === false;
    if (!watchedGone || alive(lease.keeper) !== false) continue;
    removeLeaseFile(path);
    removeSocket(lease.socket);
  }
}

/**
 * Finds the lease of a key among those of this user and, in CI, of this job: the newest that is still
 * kept, else the newest.
 */
export function findLease(
  directory: string,
  key: string,
  store: string,
  job: string | null,
): { path: string; lease: LeaseFile } | null {
  const found = leasesIn(directory)
    .filter(({ lease }) => lease.key === key && lease.store === store)
    .filter(({ lease }) => job === null || lease.job === null || lease.job === job)
    .sort(
      (a, b) =>
        Number(isKept(b.lease)) - Number(isKept(a.lease)) ||
        Date.parse(b.lease.since) - Date.parse(a.lease.since),
    );
  return found[0] ?? null;
}

/** Uses the store of a lease, or of a claim, and closes it. */
export async function withStore<T>(
  lease: Pick<LeaseFile, "store" | "storeOptions">,
  use: (store: Store) => Promise<T>,
): Promise<T> {
  const store = await openStore(lease.store, lease.storeOptions);
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}
