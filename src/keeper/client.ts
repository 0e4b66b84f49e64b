import { isLockError } from "../lock/errors.ts";
import type { KeyStatus, Store } from "../lock/store.ts";
import { openProcesses } from "../stores/file/processes.ts";
import { openStore } from "../stores/open.ts";
import { type LeaseFile, readLeaseFile, removeLeaseFile } from "./lease-file.ts";
import { askSocket } from "./socket.ts";

/** A keeper answers in milliseconds; one that takes this long is stopped or stuck. */
const RELEASE_MS = 10_000;

export type Released =
  | { readonly outcome: "released" }
  /** Let go earlier, by this lease's own release. */
  | { readonly outcome: "already-gone" }
  /** No longer ours when it was to be let go. `holder`: who has it now. */
  | { readonly outcome: "lost"; readonly reason: string; readonly holder: string | null }
  /** Let go, although the keeper did not do it: its lock was still ours. */
  | { readonly outcome: "recovered"; readonly reason: string };

/** Lets go what a keeper holds, with the keeper's help or, where it is gone or stuck, without. */
export async function releaseLease(path: string, timeout = RELEASE_MS): Promise<Released> {
  const lease = readLeaseFile(path);
  if (lease === null) return { outcome: "already-gone" };
  if (lease.state === "lost") return finish(path, await lost(lease));
  const processes = openProcesses({ sharedFilesystem: false });
  let reason = "its keeper had ended";
  if (processes.alive(lease.keeper) !== false) {
    try {
      const reply = await askSocket(lease.socket, { op: "release", token: lease.token }, timeout);
      if (reply.outcome === "released") return { outcome: "released" };
      const after = readLeaseFile(path);
      if (after === null) return { outcome: "already-gone" };
      if (after.state === "lost") return finish(path, await lost(after));
    } catch (error) {
      if (!isLockError(error, "KEEPER_GONE")) throw error;
      if (readLeaseFile(path) === null) return { outcome: "already-gone" };
      reason = error.message;
    }
    // Stopped or stuck. It must not wake up later and go on as if it still held the lock.
    if (processes.alive(lease.keeper) === true) process.kill(lease.keeper.pid, "SIGKILL");
  }
  return finish(path, await releaseWithoutKeeper(lease, reason));
}

function finish(path: string, released: Released): Released {
  removeLeaseFile(path);
  return released;
}

async function releaseWithoutKeeper(lease: LeaseFile, reason: string): Promise<Released> {
  return withStore(lease, async (store) => {
    const outcome = await store.release(lease);
    if (outcome === "released") return { outcome: "recovered", reason };
    return { outcome: "lost", reason, holder: holderOf(await store.inspect(lease.key)) };
  });
}

async function lost(lease: LeaseFile): Promise<Released> {
  const reason = lease.lost?.reason ?? "it was taken";
  try {
    const status = await withStore(lease, (store) => store.inspect(lease.key));
    return { outcome: "lost", reason, holder: holderOf(status) };
  } catch {
    return { outcome: "lost", reason, holder: null };
  }
}

function holderOf(status: KeyStatus): string | null {
  return status.holders.map((holder) => holder.owner).join(", ") || null;
}

async function withStore<T>(lease: LeaseFile, use: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(lease.store, lease.storeOptions);
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

export interface Verified {
  readonly held: boolean;
  readonly reason: string | null;
}

/** Asks the store, not the keeper, whether the lease still holds. */
export async function verifyLease(lease: LeaseFile): Promise<Verified> {
  if (lease.state === "lost") return { held: false, reason: lease.lost?.reason ?? "it was lost" };
  return withStore(lease, async (store) => {
    if (await store.verify(lease)) return { held: true, reason: null };
    const holder = holderOf(await store.inspect(lease.key));
    return { held: false, reason: holder === null ? "nobody holds it" : `it is held by ${holder}` };
  });
}
