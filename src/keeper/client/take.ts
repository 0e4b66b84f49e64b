import { isLockError, LockError } from "../../lock/errors.ts";
import type { Progress } from "../../lock/store.ts";
import { hasKeeper, type KeptLease, type LeaseFile, readLeaseFile } from "../lease-file.ts";
import { errorOf, type Failure } from "../protocol.ts";
import { askSocket } from "../socket.ts";
import { forgetLease, releaseLease } from "./release.ts";

/** A keeper answers a look after 5 s at the latest. */
const ANSWER_MS = 20_000;

export interface TakeOptions {
  /** Milliseconds to wait from now on; null: without limit. */
  readonly timeout: number | null;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
}

/**
 * Takes the lock for which a keeper stands in line: waits for its turn, and returns the lease. What
 * ends the wait ends the place as well, and its lease file is removed.
 */
export async function takePlace(path: string, options: TakeOptions): Promise<LeaseFile> {
  const { timeout, signal, onProgress } = options;
  let answer: Record<string, unknown> = {};
  try {
    for (let isAsked = false; ; isAsked = true) {
      const lease = placeIn(path);
      if (lease.state === "held") return lease;
      const { token, socket } = lease;
      const question = isAsked ? { op: "look", seen: answer.seen } : { op: "take", timeout };
      answer = await askSocket(socket, { ...question, token }, ANSWER_MS, signal);
      if (answer.state === "lost") throw errorOf(answer.failure as Failure);
      if (answer.progress) onProgress(answer.progress as Progress);
      // The lock was granted in between, and its lease has another token.
      const isRefused = answer.state === undefined && placeIn(path).state === "waiting";
      if (isRefused) throw new LockError("KEEPER_GONE", `The keeper says: ${answer.error}.`);
    }
  } catch (error) {
    const over = placeLost(path) ?? withoutKeeper(error);
    if (signal.aborted) await releaseLease(path).catch(() => {});
    else forgetLease(path);
    throw over;
  }
}

/** Says what a keeper that does not answer means for the place. */
function withoutKeeper(error: unknown): unknown {
  if (!isLockError(error, "KEEPER_GONE")) return error;
  const sentence = `The place in line is gone with the process that kept it. ${error.message}`;
  return new LockError("KEEPER_GONE", sentence, { cause: error });
}

/** The lease of a place. Throws where it is over, and why. */
function placeIn(path: string): KeptLease {
  const lost = placeLost(path);
  if (lost !== null) throw lost;
  const lease = readLeaseFile(path);
  if (lease !== null && hasKeeper(lease)) return lease;
  throw new LockError("LOCK_LOST", "The place in line is gone: this claim has left the line.");
}

/** Why a place is over, as its keeper wrote it down; null if it did not. */
function placeLost(path: string): LockError | null {
  let lease: LeaseFile | null;
  try {
    lease = readLeaseFile(path);
  } catch (error) {
    if (isLockError(error)) return error;
    throw error;
  }
  if (lease?.state !== "lost") return null;
  const { reason = "it was lost", failure } = lease.lost ?? {};
  return failure === undefined
    ? new LockError("LOCK_LOST", `The lock was lost: ${reason}`)
    : errorOf(failure);
}
