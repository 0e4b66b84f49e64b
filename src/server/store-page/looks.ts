import { setTimeout as delay } from "node:timers/promises";
import type { Statistics } from "../../lock/history.ts";
import { whoIs } from "../../lock/people/who.ts";
import { type Holder, type KeyStatus, PLAIN_KEY } from "../../lock/status.ts";
import type { Store } from "../../lock/store.ts";
import { type HolderJson, type KeyJson, WAITERS_SHOWN } from "../observers/describe.ts";
import type { Picture } from "../observers/events.ts";

/** Milliseconds between two looks: right after a change, and while nothing has changed for long. */
export interface Pace {
  readonly least: number;
  readonly most: number;
}

/** Where the store tells of changes, a look is only for what it cannot tell, such as a new key. */
const WOKEN: Pace = { least: 1_000, most: 5_000 };
/** Where each look costs somebody's budget: no more than a claim that waits as the second in line. */
const POLLED: Pace = { least: 5_000, most: 30_000 };
/** So much longer is the next pause where nothing has changed. */
const SLOWER = 1.5;
/** A store that tells of a change tells of many: live for people is four looks a second. */
const GAP_MS = 250;
/** A look that takes long is followed by a pause so many times as long. */
const REST = 10;

/** One key as it was last seen. */
interface Seen {
  readonly status: KeyStatus;
  /** All that is told of it, to notice a change; and the same without signs of life, which are no news. */
  readonly text: string;
  readonly news: string;
}

export interface LooksOptions {
  /** Default: by what the store promises. */
  readonly pace?: Pace | undefined;
  onChange(key: string): void;
  /** A look has failed: what was seen last may no longer be true. */
  onTrouble(): void;
}

/**
 * What a store shows, looked at on behalf of all readers together: not at all while there are none,
 * and ever less often while nothing changes.
 */
export class Looks implements Picture {
  readonly #store: Store;
  readonly #pace: Pace;
  readonly #options: LooksOptions;
  /** By key; what changed last stands at the end. */
  readonly #seen = new Map<string, Seen>();
  readonly #usual = new Map<string, Statistics>();
  #looking: Promise<void> | null = null;
  #failure: unknown = null;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #pause: number;
  #following: AbortController | null = null;

  constructor(store: Store, options: LooksOptions) {
    this.#store = store;
    this.#options = options;
    this.#pace = options.pace ?? (store.promises.push ? WOKEN : POLLED);
    this.#pause = this.#pace.least;
  }

  *busy(): Iterable<string> {
    for (const [key, { status }] of this.#seen) if (!isIdle(status)) yield key;
  }

  *idle(): Iterable<string> {
    for (const [key, { status }] of this.#seen) if (isIdle(status)) yield key;
  }

  describe(key: string): KeyJson {
    const status = this.#seen.get(key)?.status;
    if (status !== undefined) return describeStatus(status, WAITERS_SHOWN, this.#usual.get(key));
    return { key, slots: 1, ...PLAIN_KEY, holders: [], waiting: 0, waiters: [] };
  }

  /** Changes with the key: what was learned of it before may be out of date. */
  newsOf(key: string): string {
    return this.#seen.get(key)?.news ?? "";
  }

  /** Those that changed last come first. */
  keys(): string[] {
    return [...this.#seen.keys()].reverse();
  }

  /** Takes note of how long holds of a key usually take. */
  learn(key: string, usual: Statistics): void {
    this.#usual.set(key, usual);
  }

  /** Resolves when the store was seen a moment ago, however many ask. Throws what the look met. */
  async ready(): Promise<void> {
    const age = performance.now() - this.#lookedAt;
    if (this.#looking !== null || age >= this.#pace.least) return this.look();
    if (this.#failure !== null) throw this.#failure;
  }

  /** Looks now; two who ask at once share a look. */
  look(): Promise<void> {
    this.#looking ??= this.#lookNow().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  /** Looks again and again, while there are readers. */
  follow(some: boolean): void {
    this.#following?.abort();
    this.#following = some ? new AbortController() : null;
    if (this.#following !== null) void this.#follow(this.#following.signal);
  }

  async #follow(signal: AbortSignal): Promise<void> {
    for (;;) {
      await this.#rest(signal);
      if (signal.aborted) return;
      await this.look().catch(this.#options.onTrouble);
    }
  }

  async #rest(signal: AbortSignal): Promise<void> {
    const pause = this.#pause;
    const gap = delay(Math.min(GAP_MS, pause), undefined, { signal });
    const told = this.#store.changed?.({ pause, signal }) ?? delay(pause, undefined, { signal });
    const [, heard] = await Promise.allSettled([gap, told]);
    // Why the store cannot tell is for the next look to meet.
    if (heard.status === "rejected") await delay(pause, undefined, { signal }).catch(() => {});
  }

  async #lookNow(): Promise<void> {
    const from = performance.now();
    try {
      const isNew = this.#take(await this.#store.list({ all: true }));
      const { least, most } = this.#pace;
      this.#failure = null;
      this.#pause = isNew ? least : Math.min(most, this.#pause * SLOWER);
    } catch (error) {
      this.#failure = error;
      throw error;
    } finally {
      this.#lookedAt = performance.now();
      this.#pause = Math.max(this.#pause, (this.#lookedAt - from) * REST);
    }
  }

  /** Takes over what was found. Says whether anything is news. */
  #take(found: readonly KeyStatus[]): boolean {
    let isNew = false;
    const gone = new Set(this.#seen.keys());
    for (const status of found) {
      const { key } = status;
      gone.delete(key);
      const before = this.#seen.get(key);
      const seen = seenOf(status);
      if (seen.text === before?.text) continue;
      const isNews = seen.news !== before?.news;
      if (isNews) this.#seen.delete(key);
      this.#seen.set(key, seen);
      isNew ||= isNews;
      this.#options.onChange(key);
    }
    for (const key of gone) {
      this.#seen.delete(key);
      isNew = true;
      this.#options.onChange(key);
    }
    return isNew;
  }
}

function seenOf(status: KeyStatus): Seen {
  const holders = status.holders.map(({ heartbeat, ...rest }) => rest);
  return {
    status,
    text: JSON.stringify(status),
    news: JSON.stringify({ ...status, holders }),
  };
}

function isIdle({ holders, waiting, frozen, frozenSlots }: KeyStatus): boolean {
  return holders.length + waiting + frozenSlots.length === 0 && frozen === null;
}

/** A status as the page reads it. It names no store: the reader is told once which one it is. */
export function describeStatus(
  { store, frozen, holders, waiters, ...status }: KeyStatus,
  waitersShown: number,
  usual?: Statistics,
): KeyJson {
  return {
    ...status,
    holders: holders.map(describeHolder),
    waiters: waiters
      .slice(0, waitersShown)
      .map(({ alive, ...waiter }) => ({ ...waiter, who: whoIs(waiter) })),
    ...(frozen === null ? {} : { frozen }),
    ...(usual === undefined ? {} : { usual }),
  };
}

export function describeHolder({ reclaimable, ...holder }: Holder): HolderJson {
  return { ...holder, who: whoIs(holder) };
}
