import { setTimeout as delay, setImmediate as immediate } from "node:timers/promises";
import { isLockError } from "../../src/lock/errors.ts";
import type { Store } from "../../src/lock/store.ts";
import type { HistoryWriter } from "../history/event.ts";
import { Witness } from "../history/witness.ts";

export interface HammerOptions {
  readonly name: string;
  readonly key: string;
  readonly slots: number;
  /** Each claim draws how many of the slots it takes, and its priority. */
  readonly mixed?: boolean;
  /** Milliseconds; left out: the store's own default. */
  readonly deadAfter?: number;
  readonly history: HistoryWriter;
  readonly random: () => number;
  /** How many acquisitions; without limit until the signal fires. */
  readonly rounds: number;
  readonly signal: AbortSignal;
}

/** Claims resolve without a turn of the event loop: signals and pipes need one now and then. */
const ROUNDS_PER_TURN = 8;
/** A part of the holds lasts for a moment, so that a kill also meets somebody who holds. */
const LONG_HOLDS = 1 / 64;
const LONG_HOLD_MS = 3;
/** A part of the claims gives up early: the line must survive that as well. */
const IMPATIENT_CLAIMS = 1 / 32;
const IMPATIENCE_MS = 20;

/** One claim in so many notes its place in line. */
const WATCHED_CLAIMS = 64;

/** Claims and releases the same key, again and again, as fast as it can. Returns its acquisitions. */
export async function hammer(store: Store, options: HammerOptions): Promise<number> {
  const { name, key, slots, mixed, deadAfter, history, random, signal } = options;
  const owner = { id: name, metadata: {} };
  const witness = new Witness(store, history, name);
  const request = { key, slots, owner, ...(deadAfter === undefined ? {} : { deadAfter }) };
  let rounds = 0;
  for (let turns = 0; rounds < options.rounds && !signal.aborted; turns++) {
    if (turns % ROUNDS_PER_TURN === 0) await immediate();
    const timeout = random() < IMPATIENT_CLAIMS ? Math.floor(random() * IMPATIENCE_MS) : null;
    const share = mixed
      ? { weight: 1 + Math.floor(random() * slots), priority: Math.floor(random() * 3) - 1 }
      : {};
    try {
      const { holding, release } = await witness.claim(
        `${name}#${turns}`,
        { ...request, ...share },
        {
          timeout,
          signal,
          watchesLine: turns % WATCHED_CLAIMS === 0,
        },
      );
      if (random() < LONG_HOLDS) await delay(random() * LONG_HOLD_MS);
      const outcome = await release();
      if (outcome !== "released" || holding.lost.aborted) {
        const { fence } = holding.lease;
        throw new Error(`${name} held ${fence}, and its release says ${outcome}`);
      }
      rounds++;
    } catch (error) {
      if (isLockError(error, "TIMEOUT")) continue;
      if (isLockError(error, "ABORTED") && signal.aborted) break;
      throw error;
    }
  }
  return rounds;
}
