import {
  accessSync,
  constants,
  existsSync,
  mkdtempSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { formatDuration } from "../../../lock/duration.ts";
import { isLockError, messageOf } from "../../../lock/errors.ts";
import type { Store } from "../../../lock/store.ts";
import { randomHex } from "../../../machine/random.ts";
import { openStore, schemeOf } from "../../../stores/open.ts";
import { storeOptionsOf, whoCalls } from "../../context.ts";
import type { Io } from "../../io.ts";
import { type Finding, failed } from "./finding.ts";
import { serverClock } from "./server-clock.ts";

/** The key for trials on a server. A trial leaves a trace there: with one name for all it is only one key. */
const KEY = "holdfast-doctor";
/** How long to wait, since another `doctor` may hold the key. */
const PATIENCE_MS = 10_000;
/** A ttl is counted by the clocks of several machines: less than this does not matter. */
const CLOCK_TOLERANCE_MS = 5_000;

/** Whether this user may claim here, and whether the clocks agree. */
export async function tryStore(store: Store, io: Io): Promise<Finding[]> {
  if (schemeOf(store.url) === "file") return tryDirectory(store, io);
  return [await tryServer(store, io), await clockOfServer(store, io)];
}

async function tryServer(store: Store, io: Io): Promise<Finding> {
  try {
    if (store.mayWrite !== undefined) {
      await store.mayWrite();
      return { about: "write", ok: true, says: "this user may claim (nothing was written)" };
    }
    return await claimOnce(store, io, `the key ${KEY} was claimed and released`);
  } catch (error) {
    if (isLockError(error)) return failed("write", error);
    throw error;
  }
}

async function claimOnce(store: Store, io: Io, says: string): Promise<Finding> {
  const { owner } = whoCalls(io);
  const holding = await store.claim({ key: KEY, owner }, { timeout: PATIENCE_MS });
  await holding.release();
  return { about: "write", ok: true, says: `this user may claim (${says})` };
}

async function clockOfServer(store: Store, io: Io): Promise<Finding> {
  const skew = await serverClock(store.url, storeOptionsOf(io, {}), io.env);
  if (skew === null) {
    return { about: "clock", ok: null, says: `the server of ${store.url} does not tell its time` };
  }
  return clockFinding(skew, `that of ${store.url}`);
}

function clockFinding(skew: number, other: string): Finding {
  if (Math.abs(skew) <= CLOCK_TOLERANCE_MS) {
    return { about: "clock", ok: true, says: `this machine's clock agrees with ${other}` };
  }
  const side = skew > 0 ? "behind" : "ahead of";
  return {
    about: "clock",
    ok: false,
    says: `this machine's clock is ${formatDuration(Math.abs(skew))} ${side} ${other}`,
    todo: "set it, and let NTP keep it, since ttl and history are counted by it",
  };
}

/**
 * Tries a directory in a store of its own inside it, which is removed: the same guard, links and
 * syncs on the same filesystem, and not one file among the locks.
 */
async function tryDirectory(store: Store, io: Io): Promise<Finding[]> {
  const path = fileURLToPath(store.url);
  const directory = path.endsWith(".lock") ? dirname(path) : path;
  if (!existsSync(directory)) return notThereYet(directory);
  const side = join(directory, ".holdfast");
  let trial: string | null = null;
  try {
    if (existsSync(side)) accessSync(side, constants.R_OK | constants.W_OK | constants.X_OK);
    trial = mkdtempSync(join(directory, ".holdfast-doctor-"));
    const clock = clockFinding(clockOfDisk(trial), "that of the store's disk");
    return [await claimIn(trial, io), clock];
  } catch (error) {
    const says = `the directory ${directory} cannot be written to (${messageOf(error)})`;
    const todo =
      "give its users a common group and the directory mode 2770, or name another with --store";
    return [
      { about: "write", ok: false, says, todo },
      { about: "clock", ok: null, says: "not looked at, since nothing could be written" },
    ];
  } finally {
    if (trial !== null) rmSync(trial, { recursive: true, force: true });
  }
}

async function claimIn(directory: string, io: Io): Promise<Finding> {
  const store = await openStore(directory, storeOptionsOf(io, {}));
  try {
    return await claimOnce(store, io, "a lock was tried in a directory of its own, and removed");
  } catch (error) {
    if (isLockError(error)) return failed("write", error);
    throw error;
  } finally {
    await store.close();
  }
}

/** Milliseconds that the disk's clock is ahead of this machine's; a filesystem may round to seconds. */
function clockOfDisk(directory: string): number {
  const file = join(directory, randomHex(4));
  writeFileSync(file, "");
  return statSync(file).mtimeMs - Date.now();
}

function notThereYet(directory: string): Finding[] {
  const clock = { about: "clock", ok: true, says: "this machine's own clock is the only one" };
  let parent = directory;
  while (!existsSync(parent)) parent = dirname(parent);
  try {
    accessSync(parent, constants.W_OK | constants.X_OK);
    const says = `${directory} is not there yet: the first claim makes it`;
    return [{ about: "write", ok: true, says }, clock];
  } catch {
    const says = `${directory} is not there, and this user may not make it in ${parent}`;
    return [
      { about: "write", ok: false, says, todo: "make it, or name another with --store" },
      clock,
    ];
  }
}
