import { LockError } from "../../lock/errors.ts";
import { nameOf, whoIs } from "../../lock/people/who.ts";
import type { KeyStatus } from "../../lock/status.ts";
import type { Lease } from "../../lock/store.ts";
import { isDocumentStore, type Reader } from "../../stores/open.ts";
import { type LeaseFile, leasesOf } from "../lease-file.ts";
import { type Access, NOTHING_NAMED, withReader } from "../leases.ts";

export interface Verified {
  readonly held: boolean;
  readonly reason: string | null;
}

/**
 * Asks the store, not the keeper, whether the lease still holds; of several keys, all of them. Of an
 * engine the keeper is asked first, since the lease file lacks its password. `access`: which store was
 * named, and its secrets.
 */
export async function verifyLease(
  lease: LeaseFile,
  access: Access = NOTHING_NAMED,
): Promise<Verified> {
  if (lease.state === "waiting")
    return { held: false, reason: "it stands in line, and nobody has taken the lock yet" };
  if (lease.state === "lost") return { held: false, reason: lease.lost?.reason ?? "it was lost" };
  if (isDocumentStore(lease.store) && (await keeperVerifies(lease))) {
    return { held: true, reason: null };
  }
  return withReader(lease, access, async (store) => {
    for (const each of leasesOf(lease)) {
      if (await store.verify(each)) continue;
      const reason = await whyNot(store, each, lease);
      const name = lease.also === undefined ? "" : `${JSON.stringify(each.key)}: `;
      return { held: false, reason: `${name}${reason}` };
    }
    return { held: true, reason: null };
  });
}

async function whyNot(store: Reader, lease: Lease, { run }: LeaseFile): Promise<string> {
  const status = await store.inspect(lease.key);
  // A dead holder's lock stays in the store until it is reclaimed: the store would say that this job holds it.
  const isOurs = status.holders.some(({ fence }) => fence !== null && fence === lease.fence);
  if (isOurs) return run === undefined ? "its keeper has ended" : "the time of its run is over";
  const holders = status.holders.map(whoIs).join(", ");
  return holders === "" ? "nobody holds it" : `it is held by ${holders}`;
}

/** A keeper answers as fast as its store, which may be on the other side of the world. */
const KEEPER_MS = 20_000;

/**
 * Lets the keeper ask the store, since it has the password that the lease file lacks. False if it
 * says no or cannot be asked: then the store itself has the last word. Throws where the store refuses
 * the keeper.
 */
async function keeperVerifies({ socket, token }: LeaseFile): Promise<boolean> {
  if (socket === null) return false;
  const { askSocket } = await import("../socket.ts");
  const reply = await askSocket(socket, { op: "verify", token }, KEEPER_MS).catch(() => null);
  // Without the keeper's password the store would only ask for one.
  if (typeof reply?.refused === "string") throw new LockError("STORE_REFUSED", reply.refused);
  return reply?.held === true;
}

/** Who holds a key now: the owners' ids for scripts, and their names for people; null where nobody does. */
export interface Holders {
  readonly holder: string | null;
  readonly who: string | null;
}

export function holdersIn(holders: KeyStatus["holders"]): Holders {
  const holder = holders.map(({ owner }) => owner).join(", ") || null;
  return { holder, who: holders.map(nameOf).join(", ") || null };
}

/** Who an owner is that a store has named by the id alone. */
export async function whoHolds(store: Reader, key: string, owner: string): Promise<string> {
  const { holders } = await store.inspect(key);
  return nameOf(holders.find((each) => each.owner === owner) ?? { owner, metadata: {} });
}
