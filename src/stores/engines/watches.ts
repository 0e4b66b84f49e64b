import type { ChangedOptions, Version } from "./register.ts";

/** What is known through one channel of the engine's notifications. */
interface Watch {
  /** The newest version that was heard of or read; undefined: not known since the last trouble. */
  latest: string | null | undefined;
  /** The number of the last notification. */
  heard: number;
  readonly wakers: Set<() => void>;
}

/** A process waits for few keys. If it goes through many, it does not stay subscribed to all of them. */
const WATCHES_LIMIT = 64;

/**
 * The channels on which the engine tells this process of changes. A key's channel tells all changes of the key;
 * a session's channel tells those that concern its claim. A notification carries the new version, so nobody is
 * woken by what it knows already. What one claim reads or writes wakes no other claim of the same process, which
 * may have many in line. A notification can be missed only with the connection, and then nothing counts as known
 * any more.
 */
export class Watches {
  readonly #watches = new Map<string, Watch>();
  readonly #drop: (channel: string) => void;
  #heard = 0;

  /** `drop`: ends the subscription of a channel that is no longer watched. */
  constructor(drop: (channel: string) => void) {
    this.#drop = drop;
  }

  /** Watches a channel from now on. True: it was not watched, and the caller has to subscribe. */
  begin(channel: string): boolean {
    if (this.#watches.has(channel)) return false;
    for (const [other, { wakers }] of this.#watches) {
      if (this.#watches.size < WATCHES_LIMIT) break;
      if (wakers.size > 0) continue;
      this.#watches.delete(other);
      this.#drop(other);
    }
    this.#watches.set(channel, { latest: undefined, heard: 0, wakers: new Set() });
    return true;
  }

  /** The channel is not watched any more. Claims that wait on it look for themselves. */
  end(channel: string): void {
    const watch = this.#watches.get(channel);
    if (watch === undefined) return;
    this.#watches.delete(channel);
    watch.latest = undefined;
    wake(watch);
  }

  /** Whether the newest version is known, so that waiting needs no reading before. */
  isKnown(channel: string): boolean {
    return this.#watches.get(channel)?.latest !== undefined;
  }

  /** Reads a document for the watcher of a channel, and takes note of its version. */
  async reading(channel: string, read: () => Promise<Version>): Promise<Version> {
    const { mark } = this;
    const seen = await read();
    this.saw(channel, seen.version, mark);
    return seen;
  }

  /** The number to take before a request is sent, for `saw`. */
  get mark(): number {
    return this.#heard;
  }

  /**
   * The watcher of a channel has read or written its document. What was heard since the request was sent may be
   * newer than the answer: then that counts, and at worst the watcher is woken for nothing.
   */
  saw(channel: string, version: string | null, mark: number): void {
    const watch = this.#watches.get(channel);
    if (watch === undefined || watch.heard > mark) return;
    watch.latest = version;
    wake(watch);
  }

  heard(channel: string, version: string): void {
    const watch = this.#watches.get(channel);
    if (watch === undefined) return;
    watch.heard = ++this.#heard;
    watch.latest = version;
    wake(watch);
  }

  /** The connection is gone, and with it all subscriptions. */
  forget(): void {
    for (const channel of [...this.#watches.keys()]) this.end(channel);
  }

  /** Resolves when the channel tells of another version than this one, or when `pause` is over. */
  async wait(channel: string, version: string | null, options: ChangedOptions): Promise<void> {
    const { pause, signal } = options;
    signal?.throwIfAborted();
    const watch = this.#watches.get(channel);
    if (watch?.latest !== undefined && watch.latest !== version) return;
    await new Promise<void>((resolve, reject) => {
      const end = (finish: () => void) => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", abort);
        watch?.wakers.delete(check);
        finish();
      };
      const abort = () => end(() => reject(signal?.reason));
      const check = () => {
        if (watch?.latest !== version) end(resolve);
      };
      const timer = setTimeout(() => end(resolve), pause);
      signal?.addEventListener("abort", abort, { once: true });
      watch?.wakers.add(check);
    });
  }
}

function wake({ wakers }: Watch): void {
  for (const check of [...wakers]) check();
}
