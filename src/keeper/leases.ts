import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LockError, messageOf } from "../lock/errors.ts";
import { encodeKey } from "../lock/key.ts";
import type { Lease, Store } from "../lock/store.ts";
import { descendsFrom } from "../machine/ancestry.ts";
import { whyNotPrivate } from "../machine/private-directory.ts";
import { openProcesses, type ProcessMark } from "../machine/processes.ts";
import { isDocumentStore, openStore } from "../stores/open.ts";
import type { StoreOptions } from "../stores/options.ts";
import {
  isProcessMark,
  type LeaseFile,
  leasesIn,
  leasesOf,
  readLeaseFile,
  removeLeaseFile,
} from "./lease-file.ts";
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

/**
 * Throws ALREADY_HELD for a claim of what the claimer already holds: it would wait for its own job,
 * script or `run`, which waits for it. A detached lock is nobody's, and one of a run is shared by
 * the claims of that run. `run`: the id of the run that claims, where it is one.
 */
export function refuseHeld(
  env: NodeJS.ProcessEnv,
  key: string,
  store: string,
  run: string | null = null,
): void {
  const refuse = (who: string) =>
    new LockError(
      "ALREADY_HELD",
      `${who} already holds ${JSON.stringify(key)} in ${store}: a second claim would wait for itself. Claim a key once.`,
    );
  const directory = leaseDirectory(env);
  // In a directory that another user made, that user could name any process.
  const isOwn = existsSync(directory) && whyNotPrivate(directory) === null;
  for (const { lease } of isOwn ? leasesIn(directory) : []) {
    const { watched } = lease;
    if (lease.store !== store || lease.detached || !isKept(lease) || !isFor(lease, key)) continue;
    if (lease.run !== undefined && lease.run.id === run) continue;
    // All leases in RUNNER_TEMP are this job's. Those of a user are of several scripts.
    if (env.RUNNER_TEMP) throw refuse("This job");
    if (watched !== null && descendsFrom(watched))
      throw refuse(`The script around this command (process ${watched.pid})`);
  }
  const { alive } = openProcesses({ sharedFilesystem: false });
  for (const run of runsAround(env)) {
    if (run.key === key && run.store === store && alive(run.process) !== false)
      throw refuse(`The holdfast run around this command (process ${run.process.pid})`);
  }
}

/** A `holdfast run` that holds a lock, as the command that it runs finds it in its environment. */
interface RunAround extends Pick<Lease, "key" | "store"> {
  readonly process: ProcessMark;
}

/** Set by `run` for its command: a JSON list, with one entry for each `run` around it. */
const RUNS_VARIABLE = "HOLDFAST_HELD";

/** The variable by which a claim under this process's `run` is known. */
export function heldVariable(env: NodeJS.ProcessEnv, { key, store }: Lease): NodeJS.ProcessEnv {
  const { self } = openProcesses({ sharedFilesystem: false });
  const runs: RunAround[] = [...runsAround(env), { key, store, process: self }];
  return { [RUNS_VARIABLE]: JSON.stringify(runs) };
}

function runsAround(env: NodeJS.ProcessEnv): RunAround[] {
  try {
    const runs: unknown = JSON.parse(env[RUNS_VARIABLE] ?? "[]");
    return Array.isArray(runs) ? runs.filter((run) => isProcessMark(run?.process)) : [];
  } catch {
    return [];
  }
}

/** Whether a lease is for a key, or for several of which this is one. */
function isFor(lease: LeaseFile, key: string): boolean {
  return leasesOf(lease).some((each) => each.key === key);
}

function isKept(lease: LeaseFile): boolean {
  return lease.state === "held" && isHoldable(lease);
}

/** Whether the lock may still be held: its keeper lives, or the time of its run is not over. */
function isHoldable({ keeper, run }: LeaseFile): boolean {
  if (run !== undefined) return Date.parse(run.until) > Date.now();
  return keeper !== null && openProcesses({ sharedFilesystem: false }).alive(keeper) !== false;
}

/** Removes the leases that are of no use any more: keeper, or time, and watched process are all over. */
export function sweepLeases(directory: string): void {
  const { alive } = openProcesses({ sharedFilesystem: false });
  for (const { path, lease } of leasesIn(directory)) {
    const watchedGone = lease.watched === null || alive(lease.watched) === false;
    if (!watchedGone || isHoldable(lease)) continue;
    removeLeaseFile(path);
    if (lease.socket !== null) removeSocket(lease.socket, path);
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
    .filter(({ lease }) => lease.store === store && isFor(lease, key))
    .filter(({ lease }) => job === null || lease.job === null || lease.job === job)
    .sort(
      (a, b) =>
        Number(isKept(b.lease)) - Number(isKept(a.lease)) ||
        Date.parse(b.lease.since) - Date.parse(a.lease.since),
    );
  return found[0] ?? null;
}

/**
 * The secret of a server, and the certificates to trust, from this job's own lease in that store: a
 * later step is not given the action's inputs. Empty where there is no such lease.
 */
export function accessOfJob(env: NodeJS.ProcessEnv, store: string): StoreOptions {
  try {
    const lease = env.HOLDFAST_LEASE ? readLeaseFile(env.HOLDFAST_LEASE) : null;
    if (lease?.store !== store) return {};
    const { token, caFile } = lease.storeOptions;
    return { ...(token && { token }), ...(caFile && { caFile }) };
  } catch {
    // A command that needs the lease itself says what is wrong with it.
    return {};
  }
}

/**
 * The options of a store as other processes of the job may read them. The password of an engine is
 * left out, and so is the forge's token: whoever needs the store asks the keeper.
 */
export function publicOptions(store: string, options: StoreOptions): StoreOptions {
  const { life: _life, forgeToken: _forgeToken, alive: _, onTrouble: __, token, ...rest } = options;
  return token === undefined || isDocumentStore(store) ? rest : { ...rest, token };
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
