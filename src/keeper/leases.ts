import { LockError } from "../lock/errors.ts";
import { openProcesses } from "../machine/processes.ts";
import { type LeaseFile, leasesIn, removeLeaseFile } from "./lease-file.ts";
import { removeSocket } from "./socket.ts";

/** A second claim of the same key in the same job would wait for the first one, which ends with the job. */
export function refuseTwice(directory: string, key: string, store: string): void {
  for (const { lease } of leasesIn(directory)) {
    if (isKept(lease) && lease.key === key && lease.store === store) {
      throw new LockError(
        "ALREADY_HELD",
        `This job already holds ${JSON.stringify(key)} in ${store}: a second claim would wait for itself. Take a key once in a job.`,
      );
    }
  }
}

function isKept(lease: LeaseFile): boolean {
  return (
    lease.state === "held" &&
    openProcesses({ sharedFilesystem: false }).alive(lease.keeper) !== false
  );
}

/** Removes leases that nobody will ask about any more: keeper and watched process have both ended. */
export function sweepLeases(directory: string): void {
  const processes = openProcesses({ sharedFilesystem: false });
  for (const { path, lease } of leasesIn(directory)) {
    const watcherGone = lease.watched === null || processes.alive(lease.watched) === false;
    if (!watcherGone || processes.alive(lease.keeper) !== false) continue;
    removeLeaseFile(path);
    removeSocket(lease.socket);
  }
}

/**
 * The lease of a key among those of this user and, in CI, of this job: the newest that is still kept,
 * else the newest.
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
