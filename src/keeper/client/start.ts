import type { ChildProcess } from "node:child_process";
import { type ErrorCode, isLockError, LockError } from "../../lock/errors.ts";
import type { Hold } from "../../lock/history.ts";
import type { Lease, Progress, Store } from "../../lock/store.ts";
import { openProcesses } from "../../machine/processes.ts";
import { aborted } from "../../stores/sentences.ts";
import { LazyForecast } from "../lazy-forecast.ts";
import { readLeaseFile } from "../lease-file.ts";
import { parseLine, readLines } from "../lines.ts";
import { pastOf } from "../past.ts";
import { watchJob } from "../program/watch-job.ts";
import { ACKNOWLEDGED, type Message, type Order, type Wanted } from "../protocol.ts";
import type { IdleKeeper } from "./spawn.ts";

/** A cancelled keeper has to leave the line and say so; one that cannot is killed. */
const LEAVE_MS = 5_000;

export interface StartOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

/**
 * Waits until a keeper holds the lock. Where the store knows holders by their process, the claim is
 * made here, in the keeper's name, while the keeper is still starting; else the keeper makes it.
 *
 * The keeper lives on when this process ends. Should this process end before the keeper was told
 * that the grant is known, however it ends, the lock is free: the keeper lets go, or never held it.
 */
export async function orderKeeper(
  keeper: IdleKeeper,
  store: Store,
  wanted: Wanted,
  options: StartOptions,
): Promise<Lease> {
  try {
    const claimedBy = store.claimFor === undefined ? "keeper" : "starter";
    const { self: starter } = openProcesses({ sharedFilesystem: false });
    tell(keeper.child, { ...wanted, claimedBy, starter });
    const lease = await claimHere(keeper.child, store, wanted, options);
    try {
      if (lease !== null) tell(keeper.child, lease);
      // Read while the keeper gets ready, and kept by it: a stage at the job's end need not look.
      const past = lease === null ? null : pastOf(store, wanted)();
      await negotiate(keeper.child, past, options);
    } catch (error) {
      // Mostly the keeper has done it; one that died would leave the lock to whoever finds it dead.
      if (lease !== null) await store.release(lease).catch(() => {});
      throw error;
    }
    return lease ?? writtenLease(wanted.leaseFile);
  } finally {
    keeper.dismiss();
  }
}

function tell(child: ChildProcess, line: Order | Lease | readonly Hold[]): void {
  child.stdin?.write(`${JSON.stringify(line)}\n`);
}

function writtenLease(path: string): Lease {
  const lease = readLeaseFile(path);
  if (lease !== null) return lease;
  throw new LockError("KEEPER_GONE", "The keeper let go as soon as it had the lock.");
}

/** Null where only the keeper itself can claim. */
async function claimHere(
  child: ChildProcess,
  store: Store,
  wanted: Wanted,
  options: StartOptions,
): Promise<Lease | null> {
  if (store.claimFor === undefined || child.pid === undefined) return null;
  const end = whenEnded(child);
  const job = watchJob(wanted.watched);
  const forecast = new LazyForecast(store, wanted, (news) => options.onProgress?.(news));
  const signals = [options.signal, job.gone, end.signal].filter((signal) => signal !== undefined);
  let granted = false;
  try {
    const lease = await store.claimFor(child.pid, wanted.request, {
      timeout: wanted.timeout,
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
    // It has nothing to let go, and one that was stopped would never hear that it is not needed.
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

/** Hears that the keeper holds the lock, and confirms that. */
function negotiate(
  child: ChildProcess,
  past: Promise<readonly Hold[]> | null,
  options: StartOptions,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const { stdin, stdout } = child;
    if (stdin === null || stdout === null) return reject(new Error("the keeper has no pipes"));
    // Its process was started a while ago: what happened since was told to nobody.
    if (child.pid === undefined) return reject(keeperGone("it could not be started"));
    let timer: NodeJS.Timeout | undefined;
    const end = whenEnded(child);
    const settle = (finish: () => void) => {
      clearTimeout(timer);
      end.close();
      options.signal?.removeEventListener("abort", cancel);
      finish();
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
      // A cancelled starter says nothing: the keeper lets go, and ends.
      if (options.signal?.aborted) return;
      // Where it cannot be written the keeper is dead, and its end is told.
      stdin.write(`${ACKNOWLEDGED}\n`, (error) => {
        if (!error) settle(resolve);
      });
    };
    const onLine = (line: string) => {
      const message = parseLine(line) as Message | null;
      switch (message?.event) {
        case "progress":
          return options.onProgress?.(message.progress);
        case "granted":
          return void acknowledge();
        case "failed":
          return settle(() => reject(new LockError(message.code as ErrorCode, message.message)));
      }
    };
    if (end.signal.aborted) return onEnd();
    end.signal.addEventListener("abort", onEnd);
    readLines(stdout, onLine, () => {});
    if (options.signal?.aborted) cancel();
    else options.signal?.addEventListener("abort", cancel);
  });
}
