import { Forecast } from "../../forecast/forecast.ts";
import { isLockError, LockError } from "../../lock/errors.ts";
import { shareOf } from "../../lock/request.ts";
import type { Lease, Run, Store } from "../../lock/store.ts";
import { claimAll } from "../../stores/several.ts";
import { type LeaseFile, leasesOf, writeLeaseFile } from "../lease-file.ts";
import { publicOptions } from "../leases.ts";
import { watchJob } from "../program/watch-job.ts";
import { historyFor, type KeeperClaim, requestsOf } from "../protocol.ts";
import type { StartOptions } from "./start.ts";
import { type Holders, holdersIn, whoHolds } from "./verify.ts";

/** What a run holds: the leases, in the order in which their keys were written, and when they end. */
export interface HeldByRun {
  readonly leases: readonly Lease[];
  /** ISO 8601. */
  readonly until: string;
}

/**
 * Claims for a whole run, in this process, and writes the lease file. No keeper is left behind: the
 * store itself knows when the lock is over. If the run holds the lock already, a further claim has it
 * at once.
 */
export async function claimForRun(
  store: Store,
  claim: KeeperClaim,
  run: Run,
  options: StartOptions,
): Promise<HeldByRun> {
  checkRunSupport(store);
  const job = watchJob(claim);
  const forecast = new Forecast({
    ...shareOf(claim.request),
    history: historyFor(store, claim),
    onProgress: (progress) => options.onProgress?.(progress),
  });
  try {
    const requests = requestsOf(claim).map((request) => ({ ...request, run }));
    const signals = [options.signal, job.gone].filter((signal) => signal !== undefined);
    const holding = await claimAll(store, requests, {
      timeout: claim.timeout,
      signal: AbortSignal.any(signals),
      onProgress: forecast.update,
    });
    const leases = [holding.lease, ...holding.leases.slice(1)];
    const until = await endOf(store, leases, run);
    writeLeaseFile(
      claim.leaseFile,
      leaseFileOf(claim, leases, { id: run.id, until: longestHere(leases) }),
    );
    return { leases, until };
  } finally {
    forecast.end();
    job.close();
  }
}

/**
 * When the locks have ended in any case, by this machine's clock: the store's may be another one. It
 * says how long the lease file is of use; whether the lock is held, the store says.
 */
function longestHere(leases: readonly Lease[]): string {
  const ttl = Math.max(...leases.map((lease) => lease.ttl));
  return new Date(Date.now() + ttl * 1_000).toISOString();
}

/** Throws NOT_SUPPORTED for a store that knows no runs: there a claim would be for this process alone. */
export function checkRunSupport(store: Store): void {
  if (store.releaseRun !== undefined) return;
  throw new LockError(
    "NOT_SUPPORTED",
    `The store ${store.url} cannot hold a lock for a whole run: use http:// of holdfast serve, a lock directory that all jobs share, or a repository (github).`,
  );
}

/**
 * When the first of the locks ends at the latest. The first claim of the run has set that; later claims
 * do not change it.
 */
async function endOf(store: Store, leases: readonly Lease[], { id }: Run): Promise<string> {
  const ends = leases.map(async ({ key, fence, since, ttl }) => {
    // The lock is held: the claim does not fail if the store does not answer this question.
    const status = await store.inspect(key).catch(() => null);
    const own = status?.holders.find((holder) => holder.fence === fence && holder.run?.id === id);
    return own?.run?.until ?? new Date(Date.parse(since) + ttl * 1_000).toISOString();
  });
  return (await Promise.all(ends)).toSorted()[0] as string;
}

function leaseFileOf(
  { store, storeOptions, job, watched }: KeeperClaim,
  [first, ...also]: readonly Lease[],
  run: NonNullable<LeaseFile["run"]>,
): LeaseFile {
  return {
    ...(first as Lease),
    ...(also.length === 0 ? {} : { also }),
    version: 1,
    state: "held",
    keeper: null,
    run,
    watched,
    job,
    socket: null,
    storeOptions: publicOptions(store, storeOptions),
  };
}

/** A run's lock that is lost, and who has it now. */
interface LostByRun extends Holders {
  readonly outcome: "lost";
  readonly reason: string;
  readonly key: string;
}

/** How many of the latest holds are searched. */
const HOLDS_LOOKED_AT = 20;

/** Checks that the run still holds what a job leaves to it: "already-gone" if the run itself has released it. */
export function leaveToRun(
  lease: LeaseFile,
): (store: Store) => Promise<{ readonly outcome: "left" | "already-gone" } | LostByRun> {
  return async (store) => {
    for (const each of leasesOf(lease)) {
      if (await store.verify(each)) continue;
      const { key, fence } = each;
      const holds = (await store.history?.(key, { limit: HOLDS_LOOKED_AT }).catch(() => [])) ?? [];
      const end = holds.find((hold) => hold.fence === fence)?.end;
      if (end === "released") return { outcome: "already-gone" };
      const isOver = Date.parse(lease.run?.until ?? "") <= Date.now();
      const reason = isOver ? "its time was over" : `it was ${end ?? "taken from its run"}`;
      const { holders } = await store.inspect(key);
      const other = holders.filter((each) => each.fence !== fence);
      return { outcome: "lost", reason, key, ...holdersIn(other.slice(0, 1)) };
    }
    return { outcome: "left" };
  };
}

/** Releases what the run of a lease holds, for all of its jobs. */
export function releaseOfRun(
  lease: LeaseFile,
): (store: Store) => Promise<{ readonly outcome: "released" | "already-gone" } | LostByRun> {
  return async (store) => {
    const run = { id: lease.run?.id ?? "" };
    const outcomes = [];
    for (const each of leasesOf(lease)) {
      const { key } = each;
      const outcome = await store.releaseRun?.(key, run).catch((error) => {
        // A job may not be able to prove again which run it is of: its lease has a token of the lock.
        if (isLockError(error, "STORE_DENIED")) return store.release(each);
        throw error;
      });
      outcomes.push({ key, outcome });
    }
    for (const { key, outcome } of outcomes) {
      if (typeof outcome !== "object") continue;
      const reason = "it was taken from its run";
      const { heldBy: holder } = outcome;
      return { outcome: "lost", reason, key, holder, who: await whoHolds(store, key, holder) };
    }
    const isGone = outcomes.every(({ outcome }) => outcome === "already-gone");
    return { outcome: isGone ? "already-gone" : "released" };
  };
}
