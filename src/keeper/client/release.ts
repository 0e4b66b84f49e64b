import { isLockError, systemCode } from "../../lock/errors.ts";
import type { Hold } from "../../lock/history.ts";
import type { Store } from "../../lock/store.ts";
import { isOwn } from "../../machine/private-directory.ts";
import { openProcesses, type ProcessMark } from "../../machine/processes.ts";
import {
  hasKeeper,
  type KeptLease,
  type LeaseFile,
  leasesOf,
  readLeaseFile,
  removeLeaseFile,
} from "../lease-file.ts";
import { type Access, NOTHING_NAMED, withStore } from "../leases.ts";
import { readLog } from "../program/log.ts";
import { askSocket, removeSocket } from "../socket.ts";
import { releaseOfRun } from "./run.ts";
import { endKeeper } from "./tidy-up.ts";
import { type Holders, holdersIn } from "./verify.ts";

/** How long to wait for an answer. A keeper answers in milliseconds; after this time it is stopped or stuck. */
const RELEASE_MS = 10_000;
/** A keeper's socket is there within this time after it said that it holds the lock, also on a busy machine. */
const STARTING_MS = 2_000;
const RETRY_MS = 20;
/** The errors if its socket is not there yet, or if so many connect to it that this connection was closed. */
const NOT_NOW = ["ENOENT", "ECONNREFUSED", "EAGAIN", "ECONNRESET", "EPIPE"];

export type Released = Outcome & {
  /** What the keeper wrote down, where something went wrong. */
  readonly log: readonly string[];
  /** The key's latest holds, newest first, where they were asked for and the keeper could tell. */
  readonly holds?: readonly Hold[];
};

type Outcome =
  | { readonly outcome: "released" }
  /** Released earlier, by this lease's own release. */
  | { readonly outcome: "already-gone" }
  /**
   * Lost before it was released. `holder` and `who` have it now; absent: the store does not tell.
   * `key`: which one of several.
   */
  | ({
      readonly outcome: "lost";
      readonly reason: string;
      readonly key?: string;
    } & Partial<Holders>)
  /** The lock was still held, and was released without the keeper's help. */
  | { readonly outcome: "recovered"; readonly reason: string };

export interface ReleaseOptions {
  /** Whether the key's latest holds are wanted as well. */
  readonly history?: boolean;
  /** Which store was named, and its secrets, where the keeper cannot be asked. */
  readonly access?: Access;
}

/**
 * Releases what a keeper holds, with the keeper's help or, where it is gone or stuck, without. What a
 * run holds is released for the whole run.
 */
export async function releaseLease(
  path: string,
  { history = false, access = NOTHING_NAMED }: ReleaseOptions = {},
): Promise<Released> {
  const lease = readLeaseFile(path);
  // A keeper that was killed while it waited has left its log.
  if (lease === null) return forget(path, null, { outcome: "already-gone" });
  if (!hasKeeper(lease))
    return forget(path, lease, await withStore(lease, access, releaseOfRun(lease)));
  if (lease.state === "lost") {
    const outcome = await lost(lease, access);
    await releaseRest(path, lease, access);
    return forget(path, lease, outcome);
  }
  let reason = "its keeper could not release it";
  // True only if the keeper did not answer: a keeper that could not release says so and ends.
  let keeperGone = false;
  try {
    const request = { op: "release", token: lease.token, history };
    const reply = await askKeeper(path, lease, request);
    // Checked when it was read from the store; since then only this job's own processes had it.
    const past = Array.isArray(reply.holds) ? { holds: reply.holds as readonly Hold[] } : {};
    if (reply.outcome === "released") return { outcome: "released", log: [], ...past };
    const after = readLeaseFile(path);
    if (after === null) return forget(path, lease, { outcome: "already-gone" });
    if (after.state === "lost") return forget(path, lease, await lost(after, access));
  } catch (error) {
    if (!isLockError(error, "KEEPER_GONE")) throw error;
    if (readLeaseFile(path) === null) return forget(path, lease, { outcome: "already-gone" });
    keeperGone = isGone(lease.keeper);
    // Nothing is held: the place in line ended with its keeper.
    if (lease.state === "waiting" && keeperGone)
      return forget(path, lease, { outcome: "already-gone" });
    reason = keeperGone ? "its keeper had ended" : error.message;
  }
  return forget(path, lease, await releaseFromStuck(path, lease, access, reason, keeperGone));
}

/** Asks the keeper, and retries: it says that it holds the lock a moment before its socket is there. */
async function askKeeper(
  path: string,
  { socket, keeper }: KeptLease,
  request: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const until = Date.now() + STARTING_MS;
  for (;;) {
    try {
      return await askSocket(socket, request, RELEASE_MS);
    } catch (error) {
      const code = (isLockError(error) && systemCode(error.cause)) || "";
      const isEarly = NOT_NOW.includes(code) && Date.now() < until;
      if (!isEarly || isGone(keeper) || readLeaseFile(path) === null) throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

/**
 * Releases the lock of a keeper that is gone, stopped or stuck. A living one is ended only once the
 * lock is released: an earlier end would free the lock for the next in line, and look like a loss. A file
 * that another user wrote may name the keeper of any lock: then none is ended.
 */
async function releaseFromStuck(
  path: string,
  lease: KeptLease,
  access: Access,
  reason: string,
  keeperGone: boolean,
): Promise<Outcome> {
  const end = isOwn(path, "file") ? endKeeper : async () => {};
  try {
    return await releaseWithoutKeeper(lease, access, reason);
  } catch (error) {
    // Nothing renews the lock any more, and a server frees the locks of an ended keeper.
    if (keeperGone && isLockError(error, "STORE_UNREACHABLE")) {
      return { outcome: "lost", reason: `${reason}, and ${uncapitalised(error.message)}` };
    }
    if (!isLockError(error, "GUARD_BUSY")) throw error;
    // The keeper was stopped while it held the store's guard: only its end frees the guard.
    await end(lease.keeper);
    return await releaseWithoutKeeper(lease, access, reason);
  } finally {
    // It must not wake up later and go on as if it still held the lock.
    await end(lease.keeper);
  }
}

function isGone(keeper: ProcessMark): boolean {
  return openProcesses({ sharedFilesystem: false }).alive(keeper) === false;
}

function uncapitalised(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}

/**
 * Removes the lease of a job that is over and could not release it: nobody comes back for it, and
 * the secrets in it must not stay behind. Returns what the keeper wrote down.
 */
export function forgetLease(path: string): readonly string[] {
  return forget(path, readLeaseFile(path), { outcome: "already-gone" }).log;
}

/** Removes the files of a lease that is over, and adds the keeper's log to the outcome. */
function forget(path: string, lease: LeaseFile | null, outcome: Outcome): Released {
  const log = readLog(path);
  removeLeaseFile(path);
  if (lease?.socket) removeSocket(lease.socket, path);
  return { ...outcome, log };
}

async function releaseWithoutKeeper(
  lease: LeaseFile,
  access: Access,
  reason: string,
): Promise<Outcome> {
  return withStore(lease, access, async (store) => {
    let gone: string | null = null;
    for (const each of leasesOf(lease)) {
      const outcome = await store.release(each);
      if (outcome === "already-gone") gone ??= each.key;
    }
    if (gone === null) return { outcome: "recovered", reason };
    const { holders } = await store.inspect(gone);
    return { outcome: "lost", reason, key: gone, ...holdersIn(holders) };
  });
}

/**
 * Releases the other keys of a lease after one key was lost. Their keeper goes on holding them, since
 * the job goes on, too.
 */
async function releaseRest(path: string, lease: KeptLease, access: Access): Promise<void> {
  if (lease.also === undefined) return;
  try {
    await askKeeper(path, lease, { op: "release", token: lease.token });
  } catch (error) {
    if (!isLockError(error, "KEEPER_GONE")) throw error;
    await releaseFromStuck(path, lease, access, "its keeper had ended", isGone(lease.keeper));
  }
}

/** The outcome if the lease file itself says that the lock is lost. */
async function lost(lease: LeaseFile, access: Access): Promise<Outcome> {
  const reason = lease.lost?.reason ?? "it was taken";
  try {
    return await withStore(lease, access, async (store) => {
      const key = await lostKey(store, lease);
      const { holders } = await store.inspect(key);
      return { outcome: "lost", reason, key, ...holdersIn(holders) };
    });
  } catch {
    return { outcome: "lost", reason };
  }
}

/** Which of several keys is no longer held. */
async function lostKey(store: Store, lease: LeaseFile): Promise<string> {
  for (const each of lease.also === undefined ? [] : leasesOf(lease)) {
    if (!(await store.verify(each))) return each.key;
  }
  return lease.key;
}
