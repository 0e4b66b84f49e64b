import { existsSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isLockError, LockError, messageOf } from "../lock/errors.ts";
import { encodeKey } from "../lock/key.ts";
import type { Lease, Store } from "../lock/store.ts";
import { maySendSecret, quote } from "../lock/text.ts";
import { descendsFrom } from "../machine/ancestry.ts";
import { whyNotPrivate } from "../machine/private-directory.ts";
import { openProcesses, type ProcessMark } from "../machine/processes.ts";
import { randomHex } from "../machine/random.ts";
import { isDocumentStore, openReader, openStore, type Reader, schemeOf } from "../stores/open.ts";
import type { StoreOptions } from "../stores/options.ts";
import { variablesWithoutSecrets } from "../stores/variables.ts";
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
  return join(directory, `${encodeKey(key).slice(0, 60)}-${randomHex(6)}.json`);
}

/**
 * Throws ALREADY_HELD for a claim of what the claimer already holds: it would wait for its own job,
 * script or `run`, which waits for it. A detached lock belongs to no process, and one of a run is shared by
 * the claims of that run. `run`: the id of the run that claims, where it is one.
 */
export function refuseHeld(
  env: NodeJS.ProcessEnv,
  key: string,
  store: string,
  run: string | null = null,
): void {
  const refuse = (who: string, isWaiting = false) =>
    new LockError(
      "ALREADY_HELD",
      isWaiting
        ? `${who} already stands in line for ${JSON.stringify(key)} in ${store}: take that place with holdfast take, or leave it with holdfast release.`
        : `${who} already holds ${JSON.stringify(key)} in ${store}: a second claim would wait for itself. Claim a key once.`,
    );
  const directory = leaseDirectory(env);
  // In a directory that another user made, that user could name any process.
  const isOwn = existsSync(directory) && whyNotPrivate(directory) === null;
  for (const { lease } of isOwn ? leasesIn(directory) : []) {
    const { watched } = lease;
    if (lease.store !== store || lease.detached || !isKept(lease) || !isFor(lease, key)) continue;
    if (lease.run !== undefined && lease.run.id === run) continue;
    // All leases in RUNNER_TEMP are this job's. A user's directory has those of several scripts.
    const isWaiting = lease.state === "waiting";
    if (env.RUNNER_TEMP) throw refuse("This job", isWaiting);
    if (watched !== null && descendsFrom(watched))
      throw refuse(`The script around this command (process ${watched.pid})`, isWaiting);
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

/** Whether a lease is for this key, alone or among several. */
function isFor(lease: LeaseFile, key: string): boolean {
  return leasesOf(lease).some((each) => each.key === key);
}

function isKept(lease: LeaseFile): boolean {
  return lease.state !== "lost" && isHoldable(lease);
}

/** Whether the lock may still be held: its keeper lives, or the time of its run is not over. */
function isHoldable({ keeper, run }: LeaseFile): boolean {
  if (run !== undefined) return Date.parse(run.until) > Date.now();
  return keeper !== null && openProcesses({ sharedFilesystem: false }).alive(keeper) !== false;
}

/** Removes useless leases: their watched process has ended, and so has their keeper or their time. */
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
 * later step is not given the action's inputs. Empty where there is no such lease, and where the
 * environment has a secret of its own: certificates that a file names are not trusted with that.
 */
export function accessOfJob(env: NodeJS.ProcessEnv, store: string): StoreOptions {
  if (env.HOLDFAST_TOKEN) return {};
  try {
    const lease = env.HOLDFAST_LEASE ? readLeaseFile(env.HOLDFAST_LEASE) : null;
    if (lease === null || !maySendSecret(store, lease.store)) return {};
    const { token, caFile } = lease.storeOptions;
    return { ...(token && { token }), ...(caFile && { caFile }) };
  } catch {
    // Ignored here: a command that needs the lease reports what is wrong with it.
    return {};
  }
}

/**
 * The options of a store as other processes of the job may read them. The password of an engine is
 * left out, and so is the forge's token: a process that needs the store asks the keeper.
 */
export function publicOptions(store: string, options: StoreOptions): StoreOptions {
  const { life: _life, forgeToken: _forgeToken, variables: _variables, ...others } = options;
  const { alive: _, onTrouble: __, token, ...rest } = others;
  return token === undefined || isDocumentStore(store) ? rest : { ...rest, token };
}

/** What a process that uses a lease's store knows from elsewhere than the lease file. */
export interface Access {
  /** The store that the inputs, the saved state or the user named, as it names itself; null: none. */
  readonly store: string | null;
  /** The same store as the inputs name it, beside the secrets in them; absent: it is not an input. */
  readonly input?: string;
  /** Secrets for that store, and the certificates to trust with them. */
  readonly options: StoreOptions;
}

/** The store of a lease file, without any secret but the file's own. */
export const NOTHING_NAMED: Access = { store: null, options: {} };

/** Uses the store of a lease, or of a claim, and closes it. */
export function withStore<T>(
  lease: Pick<LeaseFile, "store" | "storeOptions">,
  access: Access,
  use: (store: Store) => Promise<T>,
): Promise<T> {
  return withOpened(openStore, lease, access, use);
}

/** The same for a process that only reads. */
export function withReader<T>(
  lease: Pick<LeaseFile, "store" | "storeOptions">,
  access: Access,
  use: (store: Reader) => Promise<T>,
): Promise<T> {
  return withOpened(openReader, lease, access, use);
}

/**
 * Opens the store that a file names. Every step of a job may write that file, and, where no pre ran, what
 * main reads as the saved state: so secrets go along only where the store is the one that was named
 * elsewhere, and by an input where they are inputs; and where the environment does not lead it to another
 * address, as AWS_ENDPOINT_URL can.
 */
async function withOpened<S extends Reader, T>(
  open: (store: string, options: StoreOptions) => Promise<S>,
  lease: Pick<LeaseFile, "store" | "storeOptions">,
  access: Access,
  use: (store: S) => Promise<T>,
): Promise<T> {
  if (access.store !== null && !maySendSecret(lease.store, access.store))
    throw changed(lease.store, access.store);
  // A lock directory takes no secret.
  if (access.input !== undefined && schemeOf(lease.store) !== "file") {
    const named = await open(access.input, access.options);
    await named.close();
    if (!maySendSecret(lease.store, named.url ?? null)) throw changed(lease.store, access.input);
  }
  const store = await open(lease.store, optionsFor(lease.storeOptions, access));
  try {
    if (store.url !== undefined && !maySendSecret(store.url, lease.store))
      throw changed(store.url, lease.store);
    return await use(store);
  } catch (error) {
    throw access.store === null ? withHint(error) : error;
  } finally {
    await store.close();
  }
}

/** The file's own secret, and the certificates beside it, count only if no other is given. */
function optionsFor({ token, caFile, ...plain }: StoreOptions, access: Access): StoreOptions {
  const own = { ...(token && { token }), ...(caFile && { caFile }) };
  if (access.store === null)
    return { ...plain, ...own, variables: variablesWithoutSecrets(process.env) };
  const isOwn = token !== undefined && access.options.token === undefined;
  return { ...plain, ...(isOwn ? own : {}), ...access.options };
}

function changed(found: string, named: string): LockError {
  return new LockError(
    "BAD_LEASE_FILE",
    `The lease leads to the store ${quote(found, 200)}, and the lock was named to be in ${quote(named, 200)}: nothing was sent there. See what changed the lease file or the environment, or name the lease's own store with --store.`,
  );
}

function withHint(error: unknown): unknown {
  if (!isLockError(error, "STORE_REFUSED") && !isLockError(error, "STORE_DENIED")) return error;
  const hint =
    "Only the lease file names this store, so no secret of the environment was sent there: name it with --store or HOLDFAST_STORE.";
  return new LockError(error.code, `${error.message} ${hint}`, { cause: error });
}
