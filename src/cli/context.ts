import { askForge } from "../ci/forge.ts";
import {
  aliveLater,
  checkHostedRunner,
  here,
  type Identity,
  type IdentityOverrides,
  identify,
} from "../ci/index.ts";
import { type Access, accessOfJob, NOTHING_NAMED } from "../keeper/leases.ts";
import { parseDuration } from "../lock/duration.ts";
import { isLockError, LockError } from "../lock/errors.ts";
import type { ClaimRequest, Store } from "../lock/store.ts";
import { shellWord, withoutPassword } from "../lock/text.ts";
import { isDocumentStore, openStore, schemeOf, tokenIn } from "../stores/open.ts";
import { environmentOptions, type StoreOptions } from "../stores/options.ts";
import { deadAfterRaised } from "../stores/sentences.ts";
import type { Input } from "./command.ts";
import type { Io } from "./io.ts";
import { say } from "./output.ts";

/** The owner and the user in whose name this command acts. */
export function whoCalls(io: Io, pid = process.pid, overrides?: IdentityOverrides): Identity {
  return identify({ ...here(), pid, env: io.env }, overrides);
}

/**
 * Who breaks, freezes or cleans: in CI the job, else the user and the machine. The process id of this
 * command would not help a reader, since the command ends a moment later.
 */
export function whoIntervenes(io: Io): string {
  const { system, owner, user } = whoCalls(io);
  return system === null ? `${user}@${owner.metadata.hostname}` : owner.id;
}

/** The CI job that this command is part of, whatever its owner is called; null outside CI. */
export function jobOf(io: Io): string | null {
  const { system, owner } = whoCalls(io);
  return system === null ? null : owner.id;
}

/** What the environment says about how to use a store, and what the command line adds. */
export function storeOptionsOf(io: Io, options: StoreOptions): StoreOptions {
  return { workingDirectory: io.workingDirectory(), ...environmentOptions(io.env), ...options };
}

/** Says why a command does not go on: its store is away, or is rate-limiting requests. */
export function troubleOf(input: Input, io: Io): (sentence: string) => void {
  return (sentence) => {
    if (!input.quiet) say(io, sentence);
  };
}

/** Opens the store that the command line or the environment names. The caller closes it. */
export function openNamedStore(input: Input, io: Io, options: StoreOptions): Promise<Store> {
  const access = accessOfJob(io.env, input.store);
  const onTrouble = troubleOf(input, io);
  return openStore(input.store, { ...access, ...storeOptionsOf(io, options), onTrouble });
}

/**
 * What a command may send to the store of a lease file: the environment's secrets, and the password in
 * the named URL, where the command line or HOLDFAST_STORE names that store. A lock directory takes no
 * secret: there a HOLDFAST_STORE that is meant for other commands does not matter.
 */
export async function accessOfLease(
  leaseStore: string | undefined,
  input: Input,
  io: Io,
): Promise<Access> {
  const isFile = leaseStore === undefined || schemeOf(leaseStore) === "file";
  if (!input.storeWasNamed && (isFile || !io.env.HOLDFAST_STORE)) return NOTHING_NAMED;
  const options = { ...storeOptionsOf(io, {}), ...tokenIn(input.store) };
  try {
    const named = await openStore(input.store, options);
    await named.close();
    return { store: named.url, options };
  } catch (error) {
    // The engine wants a secret, and only the keeper has it.
    if (!isLockError(error, "BAD_OPTION")) throw error;
    return NOTHING_NAMED;
  }
}

/**
 * Adds what a claim needs of a forge: whether other jobs and runs live, and, in a forge's repository,
 * which job this is. Other stores find out themselves whether a process lives.
 */
export async function withForge(
  input: Input,
  io: Io,
  options: StoreOptions,
  signal: AbortSignal,
): Promise<StoreOptions> {
  const access = { env: io.env, caFile: io.env.HOLDFAST_CA_FILE };
  if (!isDocumentStore(input.store)) return { ...options, alive: aliveLater(access) };
  const question = { ...access, store: input.store, signal };
  const { alive, life, hint } = await askForge(question);
  if (hint !== undefined && !input.quiet) for (const line of hint.split("\n")) say(io, line);
  return { ...options, alive, ...(life === undefined ? {} : { life }) };
}

/** The same for one call, after which the store is closed. */
export async function withStore<T>(
  input: Input,
  io: Io,
  options: StoreOptions,
  use: (store: Store) => Promise<T>,
): Promise<T> {
  const store = await openNamedStore(input, io, options);
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

/**
 * Warns of a store that locks nobody out on this runner, or throws HOSTED_RUNNER where nobody named
 * it; and says what the store does otherwise than it was asked.
 */
export function checkRunner(
  input: Input,
  io: Io,
  store: Store,
  { deadAfter }: Pick<ClaimRequest, "deadAfter">,
): void {
  const wasNamed = input.storeWasNamed || Boolean(io.env.HOLDFAST_STORE);
  const warning = checkHostedRunner(io.env, store, wasNamed);
  if (input.quiet) return;
  if (warning !== null) say(io, `warning: ${warning}`);
  const raised = deadAfterRaised(store, deadAfter);
  if (raised !== null) say(io, raised);
}

/** A command about a key, as this user would call it here. `options` stand before the store. */
export function commandFor(
  command: string,
  key: string,
  input: Pick<Input, "store" | "storeWasNamed">,
  options = "",
): string {
  const store = input.storeWasNamed ? ` --store ${shellWord(withoutPassword(input.store))}` : "";
  return `holdfast ${command}${key === "" ? "" : ` ${shellWord(key)}`}${options}${store}`;
}

/** The command that tells about a key. */
export function statusCommandOf(
  key: string,
  input: Pick<Input, "store" | "storeWasNamed">,
): string {
  return commandFor("status", key, input);
}

/** A claim that was not granted in time, with the command that tells more; other errors as they are. */
export function withNextCommand(error: unknown, look: string): unknown {
  if (!isLockError(error, "TIMEOUT")) return error;
  return new LockError("TIMEOUT", `${error.message} To see more: ${look}`, { cause: error });
}

/** The value of `--stale-timeout` in milliseconds; `none` is never. */
export function staleTimeoutOf(input: Input): { staleTimeout?: number } {
  const text = input.text("stale-timeout");
  if (text === undefined) return {};
  return { staleTimeout: parseDuration(text, "stale timeout") ?? Number.POSITIVE_INFINITY };
}
