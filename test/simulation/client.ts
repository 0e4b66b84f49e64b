import { setTimeout as delay } from "node:timers/promises";
import type { Random } from "../../src/forecast/seeded.ts";
import { isLockError } from "../../src/lock/errors.ts";
import type { ClaimRequest, Holding, Progress, Store } from "../../src/lock/store.ts";
import type { Actor } from "./clockwork/actor.ts";
import { present } from "./clockwork/globals.ts";
import type { ClaimRank, Record } from "./record.ts";

/** How a simulated client claims. Times in milliseconds. */
export interface Habits {
  readonly keys: readonly string[];
  readonly slots: number;
  readonly deadAfter: number;
  /** What its work needs to stop. */
  readonly grace: number;
  /** Part of the claims that have a weight and a priority, of which half stand in line before they are ready. */
  readonly shares?: number;
  /** The longest hold, and the longest rest between two. */
  readonly hold: number;
  readonly rest: number;
  /** How long a lock lasts that ends by time: most claims are then such ones. */
  readonly ttl?: number;
}

/** Part of the claims that give up after a moment, and part that does not wait at all. */
const IMPATIENT = 1 / 8;
const HASTY = 1 / 16;
/** Where locks end by time: part of the claims for a run, and part that are not refreshed. */
const OF_RUN = 0.6;
const BOUNDED = 0.2;
/** Part of the locks of a run that are left to it, and how many claims a run makes. */
const LEFT = 0.5;
const CLAIMS_OF_RUN = 3;
/** A release that failed is tried again after this. */
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

  /** What a claim asks for, and how long it stands in line before it is ready. */
  #rank(): ClaimRank & { readonly early: number } {
    const random = this.#random;
    const { shares = 0, slots, hold } = this.#habits;
    if (shares === 0 || random() >= shares)
      return { weight: 1, priority: 0, early: 0, isReady: true };
    const early = random() < 0.5 ? this.#some(hold) : 0;
    const weight = 1 + Math.floor(slots * random());
    return { weight, priority: Math.floor(3 * random()) - 1, early, isReady: early === 0 };
  }

  /** How a claim's lock ends by time. A run is of one machine here, and of one process at a time. */
  #bounds(): Pick<ClaimRequest, "ttl" | "refresh" | "run"> {
    const { ttl } = this.#habits;
    if (ttl === undefined) return {};
    const mood = this.#random();
    if (mood > OF_RUN + BOUNDED) return {};
    if (mood > OF_RUN) return { ttl, refresh: false };
    const id = `${this.actor.host}/${Math.floor(this.#rounds / CLAIMS_OF_RUN)}`;
    return { ttl, run: { id, forge: null } };
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
    const rank = this.#rank();
    const { weight, priority, early } = rank;
    const claimed = { ...base, event: "claim", slots, weight, priority } as const;
    record.write(claimed);
    record.ranks.set(this.actor.name, rank);
    const bounds = isLast ? {} : this.#bounds();
    try {
      const owner = { id: this.actor.name, metadata: {} };
      const request = { key, slots, deadAfter, grace, owner, weight, priority, ...bounds };
      const timeout = isLast ? null : patience;
      const onProgress = ({ trouble }: Progress) => {
        if (trouble !== undefined) record.write({ ...base, event: "rejoined" });
        // Those that came later may pass one that is not ready.
        if (!isInLine && early === 0) record.write({ ...base, event: "joined" });
        isInLine = true;
      };
      const place = early === 0 ? undefined : await this.#store.join?.(request, { onProgress });
      if (place !== undefined) await delay(early);
      rank.isReady = true;
      record.begin(this.actor.name);
      holding = await (place === undefined
        ? this.#store.claim(request, { timeout, onProgress })
        : place.take({ timeout }));
    } catch (error) {
      record.write({ ...base, event: "gave-up" });
      // A run shares what it has, and no more.
      const isTooHeavy = bounds.run !== undefined && isLockError(error, "BAD_WEIGHT");
      if (!isTooHeavy && !(isLockError(error) && EXPECTED.includes(error.code))) throw error;
      return false;
    }
    const { fence } = holding.lease;
    const isShared = record.isShared(this.actor.name, key, fence);
    const history = isShared ? record.shared : record.events;
    if (isShared) {
      record.write({ ...base, event: "gave-up" });
      // It has what its run has, which may be more than it asked for.
      record.write({ ...claimed, weight: holding.lease.slots.length }, history);
    } else if (holding.lease.slots.length !== weight)
      throw new Error(`${claim} has not its weight`);
    record.write({ ...base, event: "granted", fence }, history);
    let isLeft = false;
    holding.lost.addEventListener("abort", () => {
      if (isLeft) return;
      record.write({ ...base, event: "lost" }, history);
      const { safeUntil = null } = holding;
      const left = safeUntil === null ? 0 : safeUntil - performance.now();
      record.safeUntil.set(claim, record.now + Math.max(0, Math.floor(left * 1_000)));
    });
    await delay(lasts, undefined, { signal: holding.lost }).catch(() => {});
    // What runs under a lost lock takes its time to stop.
    if (holding.lost.aborted) await delay(this.#some(deadAfter / 2));
    if (bounds.run !== undefined && !holding.lost.aborted && random() < LEFT) {
      // Its job ends, and counts on the lock no more. Its run does.
      isLeft = true;
      record.write({ ...base, event: "lost" }, history);
      return true;
    }
    record.write({ ...base, event: "release", fence }, history);
    for (;;) {
      try {
        const outcome = await holding.release();
        record.write({ ...base, event: "released", fence, outcome }, history);
        return true;
      } catch (error) {
        if (!isLockError(error, "STORE_UNREACHABLE")) throw error;
        await delay(AGAIN_MS);
      }
    }
  }
}
