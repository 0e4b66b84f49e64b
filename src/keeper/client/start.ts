import type { ChildProcess } from "node:child_process";
import { Forecast } from "../../forecast/forecast.ts";
import { isLockError, LockError } from "../../lock/errors.ts";
import type { Hold } from "../../lock/history.ts";
import { shareOf } from "../../lock/request.ts";
import type { Lease, Progress, Store } from "../../lock/store.ts";
import { jsonObject } from "../../lock/text.ts";
import { openProcesses } from "../../machine/processes.ts";
import { aborted } from "../../stores/sentences.ts";
import { storeVariables } from "../../stores/variables.ts";
import { type LeaseFile, readLeaseFile } from "../lease-file.ts";
import { watchJob } from "../program/watch-job.ts";
import {
  ACKNOWLEDGED,
  errorOf,
  historyFor,
  type KeeperClaim,
  type Message,
  pastOf,
  readLines,
  type Task,
} from "../protocol.ts";
import type { IdleKeeper } from "./spawn.ts";

/** How long a cancelled keeper may take to leave the line and say so. Then it is killed. */
const LEAVE_MS = 5_000;

export interface StartOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
  /** Gets one sentence if the keeper cannot go on for now, before it stands in line. */
  readonly onTrouble?: (sentence: string) => void;
}

/**
 * Claims a lock for a keeper, and waits until the keeper holds it. Where the store knows holders by
 * their process, the claim is made here, in the keeper's name, while the keeper is still starting;
 * else, and where several keys are claimed, the keeper makes it. The lease is that of the first key.
 *
 * The keeper lives on when this process ends. Should this process end before it has acknowledged the
 * grant, however it ends, the lock is free: the keeper releases it, or never held it.
 */
export async function claimThroughKeeper(
  keeper: IdleKeeper,
  store: Store,
  claim: KeeperClaim,
  options: StartOptions,
): Promise<Lease & Pick<LeaseFile, "also">> {
  try {
    const claimedBy = isClaimedHere(store, claim) ? "starter" : "keeper";
    const { self: starter } = openProcesses({ sharedFilesystem: false });
    // Secrets are not in the keeper's environment: every later step can read that.
    const variables = storeVariables(process.env);
    const storeOptions = { ...claim.storeOptions, variables };
    tell(keeper.child, { ...claim, storeOptions, claimedBy, starter });
    const lease = await claimHere(keeper.child, store, claim, options);
    try {
      if (lease !== null) tell(keeper.child, lease);
      // Read while the keeper gets ready, and kept by it: so post need not read it at the job's end.
      const past = lease === null ? null : pastOf(store, claim)();
      await confirm(keeper.child, past, options);
    } catch (error) {
      // Usually the keeper has released it. If the keeper died, the lock would name a dead process.
      if (lease !== null) await store.release(lease).catch(() => {});
      throw error;
    }
    return lease ?? writtenLease(claim.leaseFile);
  } finally {
    keeper.dismiss();
  }
}

function tell(child: ChildProcess, line: Task | Lease | readonly Hold[]): void {
  child.stdin?.write(`${JSON.stringify(line)}\n`);
}

function isClaimedHere(store: Store, { also = [], join }: KeeperClaim): boolean {
  return store.claimFor !== undefined && also.length === 0 && !join;
}

function writtenLease(path: string): LeaseFile {
  const lease = readLeaseFile(path);
  if (lease !== null) return lease;
  throw new LockError("KEEPER_GONE", "The keeper released the lock as soon as it had it.");
}

/** Claims in the keeper's name; null where only the keeper itself can claim. */
async function claimHere(
  child: ChildProcess,
  store: Store,
  claim: KeeperClaim,
  options: StartOptions,
): Promise<Lease | null> {
  if (store.claimFor === undefined || child.pid === undefined) return null;
  if (!isClaimedHere(store, claim)) return null;
  const end = whenEnded(child);
  const job = watchJob(claim);
  const { request, timeout } = claim;
  const forecast = new Forecast({
    ...shareOf(request),
    history: historyFor(store, claim),
    onProgress: (progress) => options.onProgress?.(progress),
  });
  const signals = [options.signal, job.gone, end.signal].filter((signal) => signal !== undefined);
  let granted = false;
  try {
    const lease = await store.claimFor(child.pid, request, {
      timeout,
      signal: AbortSignal.any(signals),
      onProgress: forecast.update,
    });
    granted = true;
    return lease;
  } catch (error) {
    if (end.signal.aborted && isLockError(error, "ABORTED")) throw end.signal.reason;
    throw error;
  } finally {
    forecast.end();
    job.close();
    end.close();
    // It holds nothing, and a stopped keeper would never learn that it is not needed.
    if (!granted) child.kill("SIGKILL");
  }
}

/** Fires when the keeper's process has ended, with the error to tell. */
function whenEnded(child: ChildProcess): { readonly signal: AbortSignal; close(): void } {
  const controller = new AbortController();
  const onExit = (code: number | null, signal: string | null) =>
    controller.abort(keeperGone(signal ?? `exit code ${code}`));
  if (child.exitCode !== null || child.signalCode !== null)
    onExit(child.exitCode, child.signalCode);
  child.on("exit", onExit);
  return { signal: controller.signal, close: () => void child.off("exit", onExit) };
}

function keeperGone(why: string): LockError {
  return new LockError("KEEPER_GONE", `The keeper ended before it had the lock (${why}).`);
}

/** Waits until the keeper says that it holds the lock, and acknowledges that. */
function confirm(
  child: ChildProcess,
  past: Promise<readonly Hold[]> | null,
  options: StartOptions,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const { stdin, stdout } = child;
    if (stdin === null || stdout === null) return reject(new Error("the keeper has no pipes"));
    if (child.pid === undefined) return reject(keeperGone("it could not be started"));
    let timer: NodeJS.Timeout | undefined;
    const end = whenEnded(child);
    const settle = (act: () => void) => {
      clearTimeout(timer);
      end.close();
      options.signal?.removeEventListener("abort", cancel);
      act();
    };
    const onEnd = () => {
      const cancelled = options.signal?.aborted ?? false;
      settle(() => reject(cancelled ? aborted() : end.signal.reason));
    };
    const cancel = () => {
      stdin.end();
      timer = setTimeout(() => child.kill("SIGKILL"), LEAVE_MS);
    };
    const acknowledge = async () => {
      if (past !== null) tell(child, await past);
      // A cancelled starter says nothing: the keeper releases the lock, and ends.
      if (options.signal?.aborted) return;
      // Where it cannot be written the keeper is dead, and its end is told.
      stdin.write(`${ACKNOWLEDGED}\n`, (error) => {
        if (!error) settle(resolve);
      });
    };
    const onLine = (line: string) => {
      const message = jsonObject(line) as Message | null;
      switch (message?.event) {
        case "progress":
          return options.onProgress?.(message.progress);
        case "trouble":
          return options.onTrouble?.(message.sentence);
        case "granted":
          return void acknowledge();
        case "failed":
          return settle(() => reject(errorOf(message)));
      }
    };
    if (end.signal.aborted) return onEnd();
    end.signal.addEventListener("abort", onEnd);
    readLines(stdout, onLine, () => {});
    if (options.signal?.aborted) cancel();
    else options.signal?.addEventListener("abort", cancel);
  });
}
