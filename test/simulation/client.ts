import { setTimeout as delay } from "node:timers/promises";
import type { Random } from "../../src/forecast/seeded.ts";
import { isLockError } from "../../src/lock/errors.ts";
import type { ClaimRequest, Holding, Store } from "../../src/lock/store.ts";
import type { Actor } from "./clockwork/actor.ts";
import { present } from "./clockwork/globals.ts";
import type { Record } from "./record.ts";

/** How a simulated client claims. Times in milliseconds. */
export interface Habits {
  readonly keys: readonly string[];
  readonly slots: number;
  /** Its claims have weights and priorities, and some stand in line before they are ready. */
  readonly shares?: boolean;
  readonly deadAfter: number;
  /** What its work needs to stop. */
  readonly grace: number;
  /** The longest hold, and the longest rest between two. */
  readonly hold: number;
  readonly rest: number;
}

/** Part of the claims that give up after a moment, and part that does not wait at all. */
const IMPATIENT = 1 / 8;
const HASTY = 1 / 16;
/** A release that failed is tried again after this. */
/** Part of the claims of one that shares which stand in line early. */
const EARLY = 1 / 4;
const AGAIN_MS = 1_000;
const EXPECTED = ["TIMEOUT", "ABORTED", "STORE_UNREACHABLE", "LOCK_LOST"];

/**
 * A process that claims, works and releases, until it is told to end; then once more, without a limit
 * and without faults: that claim has to be granted.
 */
export class Client {
  readonly actor: Actor;
  readonly #store: Store;
  readonly #habits: Habits;
  readonly #record: Record;
  readonly #random: Random;
  #rounds = 0;
  isEnding = false;
  isDone = false;

  constructor(actor: Actor, store: Store, habits: Habits, record: Record, random: Random) {
    this.actor = actor;
    this.#store = store;
    this.#habits = habits;
    this.#record = record;
    this.#random = random;
  }

  async live(): Promise<void> {
    const { rest } = this.#habits;
    while (!this.isEnding) {
      await delay(this.#some(rest));
      if (!this.isEnding) await this.#hold(false);
    }
    while (!(await this.#hold(true))) await delay(AGAIN_MS);
    await this.#store.close();
    this.isDone = true;
    present().say(this.actor.name, "is done");
  }

  /** Short mostly, and sometimes long. */
  #some(longest: number): number {
    return longest * this.#random() ** 3;
  }

  /** Stands in line, where it may be passed, and takes the lock when it is ready. */
  async #takeLater(request: ClaimRequest, timeout: number | null, after: number): Promise<Holding> {
    const place = await this.#store.join?.(request);
    if (place === undefined) throw new Error("the store has no places in line");
    await delay(after);
    return place.take({ timeout });
  }

  /** One round. True where it was granted. */
  async #hold(isLast: boolean): Promise<boolean> {
    const random = this.#random;
    const { keys, slots, deadAfter, grace, hold } = this.#habits;
    const key = keys[Math.floor(random() * keys.length)] as string;
    const claim = `${this.actor.name}#${this.#rounds++}`;
    const base = { process: this.actor.name, key, claim };
    const record = this.#record;
    let isInLine = false;
    let holding: Holding;
    const mood = random();
    const patience = mood < HASTY ? 0 : mood < IMPATIENT ? this.#some(hold * 2) : null;
    const lasts = isLast ? 10 : this.#some(hold);
    const share = this.#habits.shares
      ? { weight: 1 + Math.floor(random() * slots), priority: Math.floor(random() * 3) }
      : {};
    record.write({ ...base, event: "claim", slots, ...share });
    try {
      const owner = { id: this.actor.name, metadata: {} };
      const request = { key, slots, deadAfter, grace, owner, ...share };
      const isEarly = this.#habits.shares === true && random() < EARLY;
      const timeout = isLast ? null : patience;
      if (isEarly) holding = await this.#takeLater(request, timeout, this.#some(hold));
      else
        holding = await this.#store.claim(request, {
          timeout,
          onProgress: ({ trouble }) => {
            if (trouble !== undefined) record.write({ ...base, event: "rejoined" });
            if (!isInLine) record.write({ ...base, event: "joined" });
            isInLine = true;
          },
        });
    } catch (error) {
      record.write({ ...base, event: "gave-up" });
      if (!isLockError(error) || !EXPECTED.includes(error.code)) throw error;
      return false;
    }
    const { fence } = holding.lease;
    record.write({ ...base, event: "granted", fence });
    holding.lost.addEventListener("abort", () => {
      record.write({ ...base, event: "lost" });
      const { safeUntil = null } = holding;
      const left = safeUntil === null ? 0 : safeUntil - performance.now();
      record.safeUntil.set(claim, record.now + Math.max(0, Math.floor(left * 1_000)));
    });
    await delay(lasts, undefined, { signal: holding.lost }).catch(() => {});
    // What runs under a lost lock takes its time to stop.
    if (holding.lost.aborted) await delay(this.#some(deadAfter / 2));
    record.write({ ...base, event: "release", fence });
    for (;;) {
      try {
        const outcome = await holding.release();
        record.write({ ...base, event: "released", fence, outcome });
        return true;
      } catch (error) {
        if (!isLockError(error, "STORE_UNREACHABLE")) throw error;
        await delay(AGAIN_MS);
      }
    }
  }
}
