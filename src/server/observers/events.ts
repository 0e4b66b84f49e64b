import type { ServerResponse } from "node:http";
import { Problem, type StreamReply } from "../http/exchange.ts";
import type { Claim } from "../table/claim.ts";
import type { Observer } from "../table/types.ts";
import type { KeyJson } from "./describe.ts";
import { Listing } from "./listing.ts";

/** How many readers there may be: each costs a socket and a share of every flush. */
const LISTENERS_LIMIT = 100;
/** The shortest time between two flushes: four a second is live for people. */
const FLUSH_MS = 250;
/** How long the first change after a quiet time waits for others, such as the grant after a release. */
const GATHER_MS = 20;
/** How often something is sent: proxies and browsers drop a silent stream, and writing finds a dead peer. */
const HEARTBEAT_MS = 15_000;
/** How long a reader may take nothing before it is cut off. */
const STUCK_MS = 15_000;
/** How much goes into one event. The rest follows in the next, so that no flush holds up the locks. */
const KEYS_LIMIT = 2_000;
const LENGTH_LIMIT = 4 * 2 ** 20;

export interface EventsOptions {
  /** Milliseconds that only grow. */
  readonly monotonic: () => number;
  /** Told when the first reader has come, and when the last has gone. */
  readonly onReaders?: (some: boolean) => void;
  readonly heartbeat?: number;
  readonly patience?: number;
}

/** What there is to be told: the keys that are not free, and what one looks like now. */
export interface Picture {
  /** As the place of the locks writes them, on the wire or in a store. */
  busy(): Iterable<string>;
  describe(key: string): KeyJson;
}

interface Reader {
  readonly response: ServerResponse;
  /** It missed a change while it was slow: it needs the whole state, not the next change. */
  behind: boolean;
  /** Since when it has not taken what it was sent; by the monotonic clock. */
  stuckSince: number | null;
}

/**
 * Tells readers of `/admin/events` what changed. With a grant it only notes the key, and only while
 * there are readers; what is sent is what the key looks like at the flush.
 */
export class Events implements Observer {
  readonly #readers = new Set<Reader>();
  readonly #dirty = new Set<string>();
  readonly #monotonic: () => number;
  readonly #beatEvery: number;
  readonly #patience: number;
  readonly #onReaders: (some: boolean) => void;
  #picture: Picture | null = null;
  #timer: NodeJS.Timeout | undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  #flushed = Number.NEGATIVE_INFINITY;
  #closed = false;

  constructor(options: EventsOptions) {
    this.#monotonic = options.monotonic;
    this.#onReaders = options.onReaders ?? (() => {});
    this.#beatEvery = options.heartbeat ?? HEARTBEAT_MS;
    this.#patience = options.patience ?? STUCK_MS;
  }

  get listeners(): number {
    return this.#readers.size;
  }

  /** A key is to be told anew, while there is somebody to tell. */
  note(key: string): void {
    if (this.#readers.size === 0) return;
    this.#dirty.add(key);
    this.#timer ??= this.#schedule();
  }

  joined(claim: Claim): void {
    this.note(claim.entry.key);
  }

  granted(claim: Claim): void {
    this.note(claim.entry.key);
  }

  changed(claim: Claim): void {
    this.note(claim.entry.key);
  }

  renewed(claim: Claim): void {
    this.note(claim.entry.key);
  }

  ended(claim: Claim): void {
    this.note(claim.entry.key);
  }

  frozen(key: string): void {
    this.note(key);
  }

  thawed(key: string): void {
    this.note(key);
  }

  /**
   * Opens a stream: what its reader has to know first, where there is something, the whole state, then
   * changes, until the reader or the server ends it.
   */
  open(picture: Picture, access: object | null = null): StreamReply {
    if (this.#closed || this.#readers.size >= LISTENERS_LIMIT) {
      throw new Problem(
        503,
        "Too many listeners",
        `Already ${this.#readers.size} readers follow /admin/events: close one, or ask /admin/locks now and then.`,
        { "retry-after": 10 },
      );
    }
    this.#picture = picture;
    return { stream: (response) => this.#welcome(response, picture, access) };
  }

  /** Ends every stream. No reader is admitted afterwards. */
  close(): void {
    this.#closed = true;
    this.drop();
    this.#rest();
  }

  /** Ends every stream: what their readers see is no longer true. They may come again. */
  drop(): void {
    for (const { response } of this.#readers) response.end();
  }

  #welcome(response: ServerResponse, picture: Picture, access: object | null): void {
    response.writeHead(200, {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      // Proxies of the nginx kind would else keep events until a buffer is full.
      "x-accel-buffering": "no",
      // Kept alive, it would outlast the stream, and a server that stops would wait for it.
      connection: "close",
    });
    const reader: Reader = { response, behind: false, stuckSince: null };
    this.#readers.add(reader);
    if (this.#readers.size === 1) this.#onReaders(true);
    this.#heartbeat ??= setInterval(() => this.#beat(), this.#beatEvery);
    response.on("error", () => {});
    response.once("close", () => {
      this.#readers.delete(reader);
      if (this.#readers.size > 0) return;
      this.#rest();
      this.#onReaders(false);
    });
    if (access !== null) response.write(`event: access\ndata: ${JSON.stringify(access)}\n\n`);
    response.write(this.#state(picture));
  }

  #schedule(): NodeJS.Timeout {
    const wait = this.#flushed + FLUSH_MS - this.#monotonic();
    return setTimeout(() => this.#flush(), Math.max(GATHER_MS, wait));
  }

  #flush(): void {
    this.#timer = undefined;
    const picture = this.#picture;
    if (picture === null || this.#readers.size === 0) return;
    this.#flushed = this.#monotonic();
    const change = this.#dirty.size === 0 ? null : this.#change(picture);
    let state: string | null = null;
    let behind = false;
    for (const reader of this.#readers) {
      if (this.#isSlow(reader)) {
        reader.behind ||= change !== null;
      } else if (reader.behind) {
        state ??= this.#state(picture);
        reader.behind = false;
        reader.response.write(state);
      } else if (change !== null) {
        reader.response.write(change);
      }
      behind ||= reader.behind;
    }
    if (behind || this.#dirty.size > 0) this.#timer ??= this.#schedule();
  }

  #isSlow(reader: Reader): boolean {
    if (!reader.response.writableNeedDrain) {
      reader.stuckSince = null;
      return false;
    }
    reader.stuckSince ??= this.#flushed;
    if (this.#flushed - reader.stuckSince > this.#patience) reader.response.destroy();
    return true;
  }

  #beat(): void {
    for (const { response } of this.#readers) {
      if (!response.writableNeedDrain) response.write(": still here\n\n");
    }
    // One that is slow on a quiet server is found here.
    this.#timer ??= this.#schedule();
  }

  #state(picture: Picture): string {
    const locks = new Listing(KEYS_LIMIT, LENGTH_LIMIT);
    for (const key of picture.busy()) {
      if (locks.isFull) this.#dirty.add(key);
      else locks.add(picture.describe(key));
    }
    if (this.#dirty.size > 0) this.#timer ??= this.#schedule();
    return `event: state\ndata: {"locks":${locks}}\n\n`;
  }

  #change(picture: Picture): string {
    const keys = new Listing(KEYS_LIMIT, LENGTH_LIMIT);
    for (const key of this.#dirty) {
      if (keys.isFull) break;
      this.#dirty.delete(key);
      keys.add(picture.describe(key));
    }
    return `event: change\ndata: {"keys":${keys}}\n\n`;
  }

  /** Stops all timers, since there are no readers. */
  #rest(): void {
    clearTimeout(this.#timer);
    clearInterval(this.#heartbeat);
    this.#timer = undefined;
    this.#heartbeat = undefined;
    this.#dirty.clear();
  }
}
