import { askForge } from "../ci/forge.ts";
import {
  checkHostedRunner,
  here,
  type Identity,
  type IdentityOverrides,
  identify,
} from "../ci/index.ts";
import { accessOfJob } from "../keeper/leases.ts";
import { parseDuration } from "../lock/duration.ts";
import { isLockError, LockError } from "../lock/errors.ts";
import type { Store } from "../lock/store.ts";
import { shellWord, withoutPassword } from "../lock/text.ts";
import { isDocumentStore, openStore } from "../stores/open.ts";
import { environmentOptions, type StoreOptions } from "../stores/options.ts";
import type { Input } from "./command.ts";
import type { Io } from "./io.ts";
import { say } from "./output.ts";

/** The owner and the user in whose name this command acts. */
export function whoCalls(io: Io, pid = process.pid, overrides?: IdentityOverrides): Identity {
  return identify({ ...here(), pid, env: io.env }, overrides);
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

/** Opens the store that the command line or the environment names. The caller closes it. */
export function openNamedStore(input: Input, io: Io, options: StoreOptions): Promise<Store> {
  const access = accessOfJob(io.env, input.store);
  return openStore(input.store, { ...access, ...storeOptionsOf(io, options) });
}

/**
 * Adds what a claim in a forge's repository needs: whether other jobs live, and which job this is.
 * Other stores see that for themselves.
 */
export async function withForge(
  input: Input,
  io: Io,
  options: StoreOptions,
): Promise<StoreOptions> {
  if (!isDocumentStore(input.store)) return options;
  const question = { env: io.env, store: input.store, caFile: io.env.HOLDFAST_CA_FILE };
  const { alive, life } = await askForge(question);
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

/** Warns of a store that locks nobody out on this runner, or throws HOSTED_RUNNER where nobody named it. */
export function checkRunner(input: Input, io: Io, store: Store): void {
  const wasNamed = input.storeWasNamed || Boolean(io.env.HOLDFAST_STORE);
  const warning = checkHostedRunner(io.env, store, wasNamed);
  if (warning !== null && !input.quiet) say(io, `warning: ${warning}`);
}

/** The command that tells about a key, as this user would call it here. */
export function statusCommandOf(
  key: string,
  input: Pick<Input, "store" | "storeWasNamed">,
): string {
  const store = input.storeWasNamed ? ` --store ${shellWord(withoutPassword(input.store))}` : "";
  return `holdfast status${key === "" ? "" : ` ${shellWord(key)}`}${store}`;
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
