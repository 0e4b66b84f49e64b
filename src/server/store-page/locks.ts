import { isBadInput, isLockError } from "../../lock/errors.ts";
import { HISTORY_LIMIT, type Hold, usualOf } from "../../lock/history.ts";
import type { Freeze } from "../../lock/status.ts";
import type { OneSlot, Store } from "../../lock/store.ts";
import { Problem } from "../http/exchange.ts";
import {
  type Breaking,
  type Freezing,
  type Locks,
  notHeldAnyMore,
  type Past,
  type Recent,
  type Who,
} from "../http/panel/locks.ts";
import type { HolderJson, KeyJson } from "../observers/describe.ts";
import { describeHolder, describeStatus, Looks, type LooksOptions } from "./looks.ts";

const LINE_SHOWN = 1_000;
/** The holds of so many keys are asked for, for a picture of all of them; and so many at once. */
const RECENT_KEYS = 100;
const AT_ONCE = 8;
/** What was held and released between two looks shows in the history after this time. */
const PAST_LASTS_MS = 60_000;

interface KnownPast {
  readonly news: string;
  readonly at: number;
  readonly holds: Promise<Hold[]>;
}

export interface StoreLocksOptions extends LooksOptions {
  /** In whose name it is broken and frozen, where the reader gives none. */
  readonly by: string;
}

/** The locks of any store, for the page. */
export class StoreLocks implements Locks {
  readonly looks: Looks;
  readonly #store: Store;
  readonly #by: string;
  readonly #past = new Map<string, KnownPast>();

  constructor(store: Store, { by, ...options }: StoreLocksOptions) {
    this.#store = store;
    this.#by = by;
    this.looks = new Looks(store, options);
  }

  ready(): Promise<void> {
    return told(this.looks.ready());
  }

  busy(): Iterable<string> {
    return this.looks.busy();
  }

  idle(): Iterable<string> {
    return this.looks.idle();
  }

  shown(key: string): string {
    return key;
  }

  describe(key: string): KeyJson {
    return this.looks.describe(key);
  }

  async look(key: string): Promise<KeyJson> {
    return describeStatus(await told(this.#store.inspect(key)), LINE_SHOWN);
  }

  async past(key: string, limit: number): Promise<Past> {
    const holds = await told(this.#holds(key));
    const usual = usualOf(holds);
    if (usual !== null) this.looks.learn(key, usual);
    // Stores remember no freezes that are over.
    return { holds: holds.slice(0, limit), freezes: [] };
  }

  async recent(): Promise<Recent[]> {
    await this.ready();
    const keys = this.looks.keys().slice(0, RECENT_KEYS);
    // One look at all keys makes a look at each of them cheap.
    if (keys.some((key) => this.#known(key) === undefined)) await told(this.looks.look());
    const idle = new Set(this.looks.idle());
    const found: Recent[] = [];
    for (let from = 0; from < keys.length; from += AT_ONCE) {
      const some = keys.slice(from, from + AT_ONCE);
      const pasts = await Promise.all(some.map((key) => this.past(key, 1)));
      for (const [index, { holds }] of pasts.entries()) {
        const key = some[index] as string;
        for (const last of holds) found.push({ key, isFree: idle.has(key), last });
      }
    }
    return found.sort((one, other) => endOf(other.last) - endOf(one.last));
  }

  async break(key: string, { slot, fence, reason, by }: Breaking): Promise<HolderJson[]> {
    const { holders } = await told(this.#store.inspect(key));
    const meant = holders.find(
      (holder) => holder.fence === fence && (slot === null || holder.slots.includes(slot)),
    );
    if (fence !== null && meant === undefined) throw notHeldAnyMore(fence);
    const only = meant?.slot ?? slot;
    // A lock that cannot be read has no slots that could be told apart.
    const one = only === null || holders.length < 2 ? {} : { slot: only };
    const { broken } = await this.#change(
      this.#store.break(key, { reason, owner: by ?? this.#by, ...one }),
    );
    return broken.map(describeHolder);
  }

  freeze(key: string, only: OneSlot, { by, ...freezing }: Freezing): Promise<Freeze> {
    const { freeze } = this.#store;
    if (freeze === undefined) throw cannot("freeze a key");
    const options = { ...freezing, owner: by ?? this.#by, ...only };
    return this.#change(freeze.call(this.#store, key, options));
  }

  thaw(key: string, only: OneSlot, { by }: Who): Promise<Freeze | null> {
    const { thaw } = this.#store;
    if (thaw === undefined) throw cannot("freeze a key");
    return this.#change(thaw.call(this.#store, key, { owner: by ?? this.#by, ...only }));
  }

  /** A change that a reader made is seen at once. */
  async #change<T>(change: Promise<T>): Promise<T> {
    const outcome = await told(change);
    await this.looks.look().catch(() => {});
    return outcome;
  }

  #holds(key: string): Promise<Hold[]> {
    const { history } = this.#store;
    if (history === undefined) throw cannot("tell what is over");
    const known = this.#known(key);
    if (known !== undefined) return known;
    const holds = history.call(this.#store, key, { limit: HISTORY_LIMIT });
    this.#past.set(key, { news: this.looks.newsOf(key), at: performance.now(), holds });
    holds.catch(() => this.#past.delete(key));
    return holds;
  }

  /** What is over of a key, as it was told a while ago, where nothing is known to have changed since. */
  #known(key: string): Promise<Hold[]> | undefined {
    const known = this.#past.get(key);
    const isNew = known !== undefined && performance.now() - known.at < PAST_LASTS_MS;
    return isNew && known.news === this.looks.newsOf(key) ? known.holds : undefined;
  }
}

function endOf({ since, held }: Hold): number {
  return Date.parse(since) + held;
}

function cannot(what: string): Problem {
  return new Problem(404, "Not supported", `This store cannot ${what}.`);
}

/** What a store refuses, as the page's reader is told it: the sentence names no secret. */
async function told<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!isLockError(error) || isBadInput(error)) throw error;
    const isMissing = error.code === "NOT_SUPPORTED";
    throw new Problem(
      isMissing ? 404 : 503,
      isMissing ? "Not supported" : "Store trouble",
      error.message,
    );
  }
}
