import type { ServerResponse } from "node:http";
import { Problem, type StreamReply } from "../http/exchange.ts";
import type { Claim } from "../table/claim.ts";
import type { LockTable } from "../table/table.ts";
import type { Observer } from "../table/types.ts";
import { describeEntry, describeFree, type Past } from "./describe.ts";
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
  readonly past: Past;
  readonly heartbeat?: number;
  readonly patience?: number;
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
  readonly #past: Past;
  readonly #beatEvery: number;
  readonly #patience: number;
  #table: LockTable | null = null;
  #timer: NodeJS.Timeout | undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  #flushed = Number.NEGATIVE_INFINITY;
  #closed = false;

  constructor(options: EventsOptions) {
    this.#monotonic = options.monotonic;
    this.#past = options.past;
    this.#beatEvery = options.heartbeat ?? HEARTBEAT_MS;
    this.#patience = options.patience ?? STUCK_MS;
  }

  get listeners(): number {
    return this.#readers.size;
  }

  joined(claim: Claim): void {
    this.#note(claim);
  }

  granted(claim: Claim): void {
    this.#note(claim);
  }

  renewed(claim: Claim): void {
    this.#note(claim);
  }

  ended(claim: Claim): void {
    this.#note(claim);
  }

  frozen(key: string): void {
    this.#noteKey(key);
  }

  thawed(key: string): void {
    this.#noteKey(key);
  }

  /** Opens a stream: what its reader may do where that is only to look, the whole state, then changes, until the reader or the server ends it. */
  open(table: LockTable, mayChange = true): StreamReply {
    if (this.#closed || this.#readers.size >= LISTENERS_LIMIT) {
      throw new Problem(
        503,
        "Too many listeners",
        `Already ${this.#readers.size} readers follow /admin/events: close one, or ask /admin/locks now and then.`,
        { "retry-after": 10 },
      );
    }
    this.#table = table;
    return { stream: (response) => this.#welcome(response, table, mayChange) };
  }

  /** Ends every stream. No reader is admitted afterwards. */
  close(): void {
    this.#closed = true;
    for (const { response } of this.#readers) response.end();
    this.#rest();
  }

  #welcome(response: ServerResponse, table: LockTable, mayChange: boolean): void {
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
    this.#heartbeat ??= setInterval(() => this.#beat(), this.#beatEvery);
    response.on("error", () => {});
    response.once("close", () => {
      this.#readers.delete(reader);
      if (this.#readers.size === 0) this.#rest();
    });
    if (!mayChange) response.write('event: access\ndata: {"access":"read"}\n\n');
    response.write(this.#state(table));
  }

  #note(claim: Claim): void {
    this.#noteKey(claim.entry.key);
  }

  #noteKey(key: string): void {
    if (this.#readers.size === 0) return;
    this.#dirty.add(key);
    this.#timer ??= this.#schedule();
  }

  #schedule(): NodeJS.Timeout {
    const wait = this.#flushed + FLUSH_MS - this.#monotonic();
    return setTimeout(() => this.#flush(), Math.max(GATHER_MS, wait));
  }

  #flush(): void {
    this.#timer = undefined;
    const table = this.#table;
    if (table === null || this.#readers.size === 0) return;
    this.#flushed = this.#monotonic();
    const change = this.#dirty.size === 0 ? null : this.#change(table);
    let state: string | null = null;
    let behind = false;
    for (const reader of this.#readers) {
      if (this.#isSlow(reader)) {
        reader.behind ||= change !== null;
      } else if (reader.behind) {
        state ??= this.#state(table);
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

  #state(table: LockTable): string {
    const locks = new Listing(KEYS_LIMIT, LENGTH_LIMIT);
    for (const entry of table.busyEntries()) {
      if (locks.isFull) this.#dirty.add(entry.key);
      else locks.add(describeEntry(entry, this.#past));
    }
    if (this.#dirty.size > 0) this.#timer ??= this.#schedule();
    return `event: state\ndata: {"locks":${locks}}\n\n`;
  }

  #change(table: LockTable): string {
    const keys = new Listing(KEYS_LIMIT, LENGTH_LIMIT);
    for (const key of this.#dirty) {
      if (keys.isFull) break;
      this.#dirty.delete(key);
      const entry = table.find(key);
      keys.add(entry === undefined ? describeFree(key) : describeEntry(entry, this.#past));
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
