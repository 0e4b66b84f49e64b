import {
  chmodSync,
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { LockError, messageOf, systemCode } from "../lock/errors.ts";
import type { Lease } from "../lock/store.ts";
import { jsonIn } from "../lock/text.ts";
import { isOwn } from "../machine/private-directory.ts";
import type { ProcessMark } from "../machine/processes.ts";
import type { StoreOptions } from "../stores/options.ts";
import type { Failure } from "./protocol.ts";

/**
 * A lease as later processes of the job read it, from a file with mode 0600, since it holds the token.
 * Where several keys are held together it is that of the first, as written.
 */
export interface LeaseFile extends Lease {
  readonly version: 1;
  /** The leases of the further keys. */
  readonly also?: readonly Lease[];
  /** `waiting`: only a place in line, no lock yet. Its token is for the keeper alone. */
  readonly state: "waiting" | "held" | "lost";
  /** Why and when it was lost; of a place in line also the error. */
  readonly lost?: { readonly at: string; readonly reason: string; readonly failure?: Failure };
  /** Null where the lock belongs to a run: then no process holds it. */
  readonly keeper: ProcessMark | null;
  /** The run that the lock belongs to, and when that ends at the latest. */
  readonly run?: { readonly id: string; readonly until: string };
  readonly watched: ProcessMark | null;
  /** True if the lock belongs to no process and its ttl is the bound. */
  readonly detached?: boolean;
  /** The CI job that claimed it: two jobs of one agent share a user, and must not share leases. */
  readonly job: string | null;
  /** The keeper's; null where there is none. */
  readonly socket: string | null;
  readonly storeOptions: StoreOptions;
}

/** A lease that a keeper holds. */
export interface KeptLease extends LeaseFile {
  readonly keeper: ProcessMark;
  readonly socket: string;
}

export function hasKeeper(lease: LeaseFile): lease is KeptLease {
  return lease.keeper !== null && lease.socket !== null;
}

/** The leases in a file, in the order in which their keys were written. */
export function leasesOf(file: Lease & Pick<LeaseFile, "also">): readonly Lease[] {
  return [file, ...(file.also ?? [])];
}

const SUFFIX = ".json";

/**
 * Writes a lease file, complete or not at all: no reader may see half a lease. It is not synced to
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

/** A lease has some kilobytes. A larger file is no lease, and is not read. */
const BYTES_LIMIT = 1024 * 1024;

/** Reads a lease file; null where there is none. Throws BAD_LEASE_FILE for whatever is not a lease. */
export function readLeaseFile(path: string): LeaseFile | null {
  let text: string;
  try {
    // Not a fifo: opening it would wait.
    const stat = statSync(path);
    text = stat.isFile() && stat.size <= BYTES_LIMIT ? readFileSync(path, "utf8") : "";
  } catch (error) {
    if (systemCode(error) === "ENOENT") return null;
    throw new LockError(
      "BAD_LEASE_FILE",
      `The lease file ${path} cannot be read: ${messageOf(error)}.`,
      { cause: error },
    );
  }
  const lease = jsonIn(text);
  if (isLeaseFile(lease)) return withSlots(lease);
  throw new LockError(
    "BAD_LEASE_FILE",
    `The file ${path} is not a lease of Holdfast: name the file that acquire printed.`,
  );
}

/** A lease that an earlier version wrote has one slot without a name. */
function withSlots(file: LeaseFile): LeaseFile {
  const whole = <T extends Lease>(lease: T): T => ({
    ...lease,
    slots: lease.slots ?? [lease.slot],
    resources: lease.resources ?? null,
  });
  return { ...whole(file), ...(file.also === undefined ? {} : { also: file.also.map(whole) }) };
}

/** Whether a value is a whole lease. Any user of this machine may have written the file that a command names. */
function isLeaseFile(value: unknown): value is LeaseFile {
  if (!isObject(value)) return false;
  // Without a keeper only a run can hold it.
  const isKept = isProcessMark(value.keeper) && typeof value.socket === "string";
  const isOfRun = value.keeper === null && value.socket === null && isRun(value.run);
  return (
    value.version === 1 &&
    isLease(value) &&
    (value.also === undefined || (Array.isArray(value.also) && value.also.every(isLease))) &&
    ["waiting", "held", "lost"].includes(String(value.state)) &&
    (value.lost === undefined || isLoss(value.lost)) &&
    (isKept ? value.run === undefined : isOfRun) &&
    (value.watched === null || isProcessMark(value.watched)) &&
    ["undefined", "boolean"].includes(typeof value.detached) &&
    isTextOrNull(value.job) &&
    isObject(value.storeOptions) &&
    Object.values(value.storeOptions).every((option) => typeof option !== "object")
  );
}

function isLease(value: unknown): boolean {
  if (!isObject(value)) return false;
  const texts = ["key", "store", "owner", "since", "token"];
  const numbers = ["slot", "ttl", "waited"];
  return (
    texts.every((field) => typeof value[field] === "string") &&
    numbers.every((field) => Number.isFinite(value[field])) &&
    (value.slots === undefined ||
      (Array.isArray(value.slots) && value.slots.every(Number.isInteger))) &&
    (value.resources == null ||
      (Array.isArray(value.resources) &&
        value.resources.every((name) => typeof name === "string"))) &&
    (value.fence === null || Number.isSafeInteger(value.fence)) &&
    !Number.isNaN(Date.parse(String(value.since)))
  );
}

function isRun(value: unknown): boolean {
  return (
    isObject(value) && typeof value.id === "string" && !Number.isNaN(Date.parse(`${value.until}`))
  );
}

function isLoss(value: unknown): boolean {
  return (
    isObject(value) &&
    typeof value.at === "string" &&
    typeof value.reason === "string" &&
    (value.failure === undefined || isFailure(value.failure))
  );
}

function isFailure(value: unknown): boolean {
  return isObject(value) && typeof value.code === "string" && typeof value.message === "string";
}

export function isProcessMark(value: unknown): boolean {
  return (
    isObject(value) &&
    Number.isSafeInteger(value.pid) &&
    Number(value.pid) > 0 &&
    ["start", "boot", "namespace"].every((field) => isTextOrNull(value[field])) &&
    typeof value.host === "string"
  );
}

function isTextOrNull(value: unknown): boolean {
  return value === null || typeof value === "string";
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Removes a lease file and its keeper's log, as far as they are this user's own. Whoever wrote the
 * file that a command names, it removes no log of another program, and nothing of another user.
 */
export function removeLeaseFile(path: string): void {
  const names = [path, ...(isLeaseName(path) ? [logPath(path)] : [])];
  for (const name of names) if (isOwn(name, "file")) rmSync(name, { force: true });
}

/** Whether a path is one that `newLeasePath` makes. */
function isLeaseName(path: string): boolean {
  return /-[0-9a-f]{12}\.json$/.test(path);
}

/** The keeper's log, beside the lease. */
export function logPath(leaseFile: string): string {
  return `${leaseFile.slice(0, -SUFFIX.length)}.log`;
}

/** Every lease in a directory; other files are left out. */
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
