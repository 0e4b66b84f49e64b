import { setTimeout as delay } from "node:timers/promises";
import type { Gateway } from "./gateway.ts";

interface WatchMessage {
  readonly result?: {
    readonly header?: { readonly revision?: string };
    readonly events?: readonly { readonly kv?: { readonly mod_revision?: string } }[];
    readonly canceled?: boolean;
    readonly compact_revision?: string;
  };
}

/** How long a stream may be silent and still be used: the next claim that waits opens another. */
const SILENCE_MS = 20_000;
/** A stream on which nobody waited for so long is closed. */
const IDLE_MS = 30_000;
/** The pause after a stream that failed, from and to. */
const RETRY_MS = [50, 1_000] as const;

/**
 * A watch on one key of etcd's: a stream that is opened again, on the next endpoint, when it ends. It stays open
 * between two waits, since opening a stream costs more than an event.
 */
export class Watch {
  readonly #gateway: Gateway;
  readonly #key: string;
  readonly #onIdle: () => void;
  readonly #waiting = new Set<() => void>();
  /** The revision of the latest event. */
  #seen = 0;
  /** The latest revision of which its single watcher was told. */
  #told = 0;
  /** Events from this revision on are seen. */
  #from = 0;
  /** etcd has forgotten what was before this revision. */
  #compacted = 0;
  #heardAt = 0;
  #stream: AbortController | null = null;
  #idle: NodeJS.Timeout | undefined;

  /** `key`: in base64. `onIdle`: nobody has waited on it for a while, and it was closed. */
  constructor(gateway: Gateway, key: string, onIdle: () => void) {
    this.#gateway = gateway;
    this.#key = key;
    this.#onIdle = onIdle;
  }

  /** Resolves with the first event after `revision`, after `pause` milliseconds, or when the signal fires. */
  async changed(revision: number, pause: number, signal: AbortSignal | undefined): Promise<void> {
    if (this.#seen <= revision) await this.#next(revision, pause, signal);
  }

  /**
   * The same for a key with a single watcher, which is told of every event once. A session's key that is made
   * anew is younger than the document, however often the document is read.
   */
  async told(revision: number, pause: number, signal: AbortSignal | undefined): Promise<void> {
    await this.changed(Math.max(revision, this.#told), pause, signal);
    this.#told = this.#seen;
  }

  close(): void {
    clearTimeout(this.#idle);
    this.#stream?.abort();
    this.#stream = null;
  }

  async #next(revision: number, pause: number, signal: AbortSignal | undefined): Promise<void> {
    this.#open(revision);
    clearTimeout(this.#idle);
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => wake(), Math.max(1, Math.ceil(pause)));
      const wake = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", wake);
        this.#waiting.delete(wake);
        resolve();
      };
      signal?.addEventListener("abort", wake);
      this.#waiting.add(wake);
    });
    if (this.#waiting.size > 0 || this.#stream === null) return;
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.#rest(), IDLE_MS).unref();
  }

  #rest(): void {
    this.close();
    this.#onIdle();
  }

  #open(revision: number): void {
    const from = Math.max(revision + 1, this.#compacted);
    const isAlive = performance.now() - this.#heardAt < SILENCE_MS;
    if (this.#stream !== null && this.#from <= from && isAlive) return;
    this.#stream?.abort();
    this.#stream = new AbortController();
    this.#from = from;
    this.#heardAt = performance.now();
    void this.#follow(this.#stream.signal);
  }

  async #follow(signal: AbortSignal): Promise<void> {
    for (let failures = 0; !signal.aborted; failures++) {
      const began = performance.now();
      try {
        for await (const message of this.#messages(signal)) this.#hear(message);
      } catch {
        // The next read says why it failed; a watch only wakes.
      }
      if (signal.aborted) return;
      const [from, to] = RETRY_MS;
      if (performance.now() - began > to) failures = 0;
      const pause = Math.min(to, from * 2 ** failures) * (0.5 + Math.random() / 2);
      await delay(pause, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  #messages(signal: AbortSignal): AsyncGenerator<unknown> {
    const create_request = { key: this.#key, start_revision: String(this.#from) };
    return this.#gateway.stream("/v3/watch", { create_request }, signal);
  }

  #hear(message: unknown): void {
    const { events = [], canceled, compact_revision } = (message as WatchMessage).result ?? {};
    this.#heardAt = performance.now();
    if (canceled) {
      if (compact_revision !== undefined) {
        this.#compacted = Number(compact_revision);
        this.#from = Math.max(this.#from, this.#compacted);
        // Nobody can say what happened before: waiting claims have to look.
        this.#wake();
      }
      throw new Error("canceled");
    }
    for (const { kv } of events) this.#seen = Math.max(this.#seen, Number(kv?.mod_revision ?? 0));
    if (events.length === 0) return;
    this.#from = Math.max(this.#from, this.#seen + 1);
    this.#wake();
  }

  #wake(): void {
    for (const wake of [...this.#waiting]) wake();
  }
}
