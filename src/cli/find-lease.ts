import { type LeaseFile, leasesOf, readLeaseFile } from "../keeper/lease-file.ts";
import { findLease, leaseDirectory } from "../keeper/leases.ts";
import { LockError } from "../lock/errors.ts";
import type { Input } from "./command.ts";
import { jobOf, withStore } from "./context.ts";
import type { Io } from "./io.ts";

/** A lease that a command is about; `path` is null where this user has none for the key. */
export interface FoundLease {
  readonly key: string;
  /** The lease's own, or the one that was searched; null where neither is known. */
  readonly store: string | null;
  readonly path: string | null;
  readonly lease: LeaseFile | null;
}

/** `--lease`, else KEY among the leases of this user and job, else HOLDFAST_LEASE. */
export async function leaseOf(input: Input, io: Io): Promise<FoundLease> {
  const named = input.text("lease");
  if (named !== undefined) return fromFile(named, input.key);
  if (input.key === "") {
    if (io.env.HOLDFAST_LEASE) return fromFile(io.env.HOLDFAST_LEASE, "");
    throw new LockError(
      "BAD_KEY",
      "Neither a key nor a lease is named: give KEY, --lease FILE, or set HOLDFAST_LEASE.",
    );
  }
  const { key, url } = await withStore(input, io, {}, async (store) => ({
    key: store.keyOf(input.key),
    url: store.url,
  }));
  const found = findLease(leaseDirectory(io.env), key, url, jobOf(io));
  return { key, store: url, path: found?.path ?? null, lease: found?.lease ?? null };
}

/** The lease in a file. If the file is gone, the lock was released: the result still names what was asked about. */
function fromFile(path: string, key: string): FoundLease {
  const lease = readLeaseFile(path);
  const keys = lease === null ? [] : leasesOf(lease).map((each) => each.key);
  if (lease !== null && key !== "" && !keys.includes(key)) {
    const names = keys.map((each) => JSON.stringify(each)).join(", ");
    throw new LockError(
      "BAD_KEY",
      `The lease file ${path} is for ${names}, not for ${JSON.stringify(key)}: leave the key out.`,
    );
  }
  return { key: lease?.key ?? key, store: lease?.store ?? null, path, lease };
}
