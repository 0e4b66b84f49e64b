import {
  chmodSync,
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { LockError, messageOf, systemCode } from "../lock/errors.ts";
import type { Lease } from "../lock/store.ts";
import type { ProcessMark } from "../machine/processes.ts";
import type { StoreOptions } from "../stores/options.ts";

/** A lease as later processes of the job read it, from a file with mode 0600, since it holds the token. */
export interface LeaseFile extends Lease {
  readonly version: 1;
  readonly state: "held" | "lost";
  /** Why and when it was lost. */
  readonly lost?: { readonly at: string; readonly reason: string };
  readonly keeper: ProcessMark;
  readonly watched: ProcessMark | null;
  /** The CI job that claimed it: two jobs of one agent share a user, and must not share leases. */
  readonly job: string | null;
  readonly socket: string;
  readonly storeOptions: StoreOptions;
}

const SUFFIX = ".json";

/**
 * Writes a lease file, complete or not at all: no reader may meet half a lease. It is not synced to
 * the disk, since a machine that lost its power has lost the keeper, too.
 */
export function writeLeaseFile(path: string, lease: LeaseFile): void {
  const temporary = `${path}.${process.pid}.tmp`;
  const handle = openSync(temporary, "w", 0o600);
  try {
    chmodSync(temporary, 0o600);
    writeSync(handle, `${JSON.stringify(lease, null, 2)}\n`);
  } finally {
    closeSync(handle);
  }
  renameSync(temporary, path);
}

/** Reads a lease file; null where there is none. */
export function readLeaseFile(path: string): LeaseFile | null {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return null;
    throw new LockError(
      "BAD_LEASE_FILE",
      `The lease file ${path} cannot be read: ${messageOf(error)}.`,
      { cause: error },
    );
  }
  try {
    const lease = JSON.parse(text) as LeaseFile;
    if (lease.version === 1 && typeof lease.key === "string" && typeof lease.token === "string")
      return lease;
  } catch {
    // Told below, in one sentence for every way to be wrong.
  }
  throw new LockError(
    "BAD_LEASE_FILE",
    `The file ${path} is not a lease of Holdfast: name the file that acquire printed.`,
  );
}

export function removeLeaseFile(path: string): void {
  for (const name of [path, logPath(path)]) rmSync(name, { force: true });
}

/** The keeper's log, beside the lease. */
export function logPath(leaseFile: string): string {
  return `${leaseFile.slice(0, -SUFFIX.length)}.log`;
}

/** Every lease in a directory; files that are none are left out. */
export function leasesIn(directory: string): { path: string; lease: LeaseFile }[] {
  let names: string[];
  try {
    names = readdirSync(directory).filter((name) => name.endsWith(SUFFIX));
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    const path = join(directory, name);
    try {
      const lease = readLeaseFile(path);
      return lease === null ? [] : [{ path, lease }];
    } catch {
      return [];
    }
  });
}
