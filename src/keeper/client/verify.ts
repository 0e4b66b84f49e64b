import type { KeyStatus } from "../../lock/store.ts";
import { isDocumentStore, openReader } from "../../stores/open.ts";
import type { StoreOptions } from "../../stores/options.ts";
import type { LeaseFile } from "../lease-file.ts";

export interface Verified {
  readonly held: boolean;
  readonly reason: string | null;
}

/**
 * Asks the store, not the keeper, whether the lease still holds. `storeOptions`: what the lease file
 * lacks, such as the password of an engine, where the keeper cannot be asked.
 */
export async function verifyLease(
  lease: LeaseFile,
  storeOptions: StoreOptions = {},
): Promise<Verified> {
  if (lease.state === "lost") return { held: false, reason: lease.lost?.reason ?? "it was lost" };
  if (isDocumentStore(lease.store) && (await keeperVerifies(lease))) {
    return { held: true, reason: null };
  }
  const store = await openReader(lease.store, { ...storeOptions, ...lease.storeOptions });
  try {
    if (await store.verify(lease)) return { held: true, reason: null };
    const status = await store.inspect(lease.key);
    // A dead holder's lock stays until it is reclaimed: it would be said to be held by this job.
    const isOurs = status.holders.some(({ fence }) => fence !== null && fence === lease.fence);
    if (isOurs) return { held: false, reason: "its keeper has ended" };
    const holder = holderOf(status);
    return { held: false, reason: holder === null ? "nobody holds it" : `it is held by ${holder}` };
  } finally {
    await store.close();
  }
}

/** A keeper answers as fast as its store, which may be on the other side of the world. */
const KEEPER_MS = 20_000;

/**
 * Has the keeper ask the store, since it has the password that the lease file lacks. False where it
 * says no or cannot be asked: then the store itself has the last word.
 */
async function keeperVerifies({ socket, token }: LeaseFile): Promise<boolean> {
  try {
    const { askSocket } = await import("../socket.ts");
    return (await askSocket(socket, { op: "verify", token }, KEEPER_MS)).held === true;
  } catch {
    return false;
  }
}

/** The owners of a key's holders, as one text; null where there is none. */
export function holderOf(status: KeyStatus): string | null {
  return status.holders.map(({ owner }) => owner).join(", ") || null;
}
