import { setTimeout as delay } from "node:timers/promises";
import { isLockError } from "../../lock/errors.ts";
import { AnswerLost } from "../remote/trouble.ts";
import type { ChangedOptions } from "./register.ts";

/** Spreads the looks of many waiters, so that they do not poll in step. */
const JITTER = 0.08;
/** The longest single wait on a server's request. A longer one is split, and the server is asked in between. */
const WAIT_LIMIT_MS = 60_000;
/** The shortest: a server that asks for no time at all would be asked in a loop. */
const WAIT_LEAST_MS = 100;
/** All waits of one call together. If more is needed, the caller decides. */
const WAITS_LIMIT_MS = 180_000;

/** Sleeps. Throws the signal's reason if the signal fires. */
export async function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  await delay(milliseconds, undefined, signal === undefined ? {} : { signal }).catch((error) => {
    throw signal?.aborted ? signal.reason : error;
  });
}

/** Waits for work that others wait for as well. A signal that fires ends this wait with its reason. */
export async function orAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** The pause of a register that polls: it is over when it is time to look again. */
export function pauseToNextLook({ pause, signal }: ChangedOptions): Promise<void> {
  return sleep(pause * (1 - JITTER * Math.random()), signal);
}

/** The waits that a server has asked for within one call. Each of them is bounded, and so are all together. */
export class Waits {
  #waited = 0;

  /** Milliseconds so far. */
  get waited(): number {
    return this.#waited;
  }

  /** How long to wait if the server asks for so much; null: it has asked too often. */
  next(asked: number): number | null {
    const wait = Math.min(WAIT_LIMIT_MS, Math.max(WAIT_LEAST_MS, asked));
    if (this.#waited + wait > WAITS_LIMIT_MS) return null;
    this.#waited += wait;
    return wait;
  }
}

/** An attempt of at least this length met with silence. One that fails sooner would be repeated in vain. */
const SILENCE_MS = 250;

/**
 * Calls again at once after an attempt that met with silence, each time on another connection, until it is
 * answered or its signal fires. For signs of life: a dead connection must not cost the lock.
 */
export async function persist<T>(
  call: () => Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  for (;;) {
    const began = performance.now();
    try {
      return await call();
    } catch (thrown) {
      const error = thrown instanceof AnswerLost ? thrown.why : thrown;
      const isSilence = performance.now() - began >= SILENCE_MS;
      if (signal === undefined || signal.aborted || !isSilence) throw error;
      if (!isLockError(error, "STORE_UNREACHABLE")) throw error;
    }
  }
}

/** How long a sign of life waits for its answer, so that there is time for another one. */
export function patienceOf(deadAfter: number): number {
  return Math.max(1_000, deadAfter / 12);
}
