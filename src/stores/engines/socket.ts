import { once } from "node:events";
import { isIP, type Socket } from "node:net";
import type { ConnectionOptions, TLSSocket } from "node:tls";
import { formatDuration } from "../../lock/duration.ts";
import type { StoreOptions } from "../options.ts";
import { closed, explainSocket, type Named, unreachable } from "../remote/trouble.ts";
import { orAborted } from "./waits.ts";

/** A connection that can be ended. */
interface Endable {
  end(): void | Promise<void>;
}

/**
 * How long the first greeting is waited for, in milliseconds. After each that was not answered, the next one
 * waits longer.
 */
const GREETING_MS = [1_500, 6_000] as const;

/** How a connection is opened. */
export interface Opening {
  /** To be called when the connection is over. */
  readonly over: () => void;
  /**
   * Milliseconds within which a server that is well has answered a greeting. A greeting asks nothing of the
   * server, so a silent connection is soon given up for another; a slow machine gets the time that it needs.
   */
  readonly patience: number;
  /** Fires when nobody needs the connection any more, while it is still being opened. */
  readonly closing: AbortSignal;
}

/** Ends a socket when the signal fires. The socket's last user hears of that. */
export function endWith(socket: Socket, closing: AbortSignal): void {
  const end = () => socket.destroy();
  if (closing.aborted) end();
  closing.addEventListener("abort", end);
  socket.once("close", () => closing.removeEventListener("abort", end));
}

/** Waits for an event of a socket. If it does not come, says why in one sentence. `late`: after `patience`. */
export async function happens(
  server: Named,
  socket: Socket,
  event: string,
  patience: number,
  late: string,
): Promise<unknown[]> {
  // Each wait has its own listener; an error between two of them must not end the process.
  socket.on("error", () => {});
  const timeout = AbortSignal.timeout(patience);
  const over = new AbortController();
  const end = () => over.abort(closed(server));
  socket.once("close", end);
  try {
    return await once(socket, event, { signal: AbortSignal.any([timeout, over.signal]) });
  } catch (error) {
    if (over.signal.aborted) throw over.signal.reason;
    if (timeout.aborted) throw unreachable(server, late);
    throw explainSocket(server, error);
  } finally {
    socket.off("close", end);
  }
}

/** Begins TLS. `trust`: which certificates the store's options trust; null: the certificate is not looked at. */
export async function openTls(
  settings: ConnectionOptions & { readonly host: string },
  trust: StoreOptions | null,
): Promise<TLSSocket> {
  const [tls, { readTrusted }] = await Promise.all([
    import("node:tls"),
    import("../remote/certificates.ts"),
  ]);
  const trusted = trust === null ? undefined : await readTrusted(trust);
  return tls.connect({
    ...settings,
    minVersion: "TLSv1.2",
    ...(isIP(settings.host) === 0 ? { servername: settings.host } : {}),
    ...(trusted === undefined ? {} : { ca: [...trusted] }),
  });
}

/**
 * The one connection of a register: opened when it is first needed, shared by all who need it, and
 * opened again after it was lost. An engine's connections are few, and a line of claims is long.
 */
export class Single<T extends Endable> {
  readonly #connect: (opening: Opening) => Promise<T>;
  readonly #lost: () => void;
  #opened: Promise<T> | null = null;
  /** The open connection; null while it is being opened. */
  #current: T | null = null;
  readonly #closing = new AbortController();
  #failures = 0;

  /** `lost` hears of each connection that is over. */
  constructor(connect: (opening: Opening) => Promise<T>, lost: () => void) {
    this.#connect = connect;
    this.#lost = lost;
  }

  /** Waits for the connection. A signal that fires ends the wait with its reason, for this caller alone. */
  async open(signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    return orAborted(this.#opened ?? this.#begin(), signal);
  }

  /** Calls something on the connection, if there is one. A failure concerns nobody. */
  whileOpen(call: (connection: T) => Promise<unknown>): void {
    this.#opened?.then(call).catch(() => {});
  }

  async close(): Promise<void> {
    if (this.#current !== null) await this.#current.end();
    // A connection that is still being opened, for instance to a silent server, is given up.
    this.#closing.abort();
    await this.#opened?.catch(() => {});
  }

  #begin(): Promise<T> {
    const over = () => {
      if (this.#opened === opened) {
        this.#opened = null;
        this.#current = null;
      }
      this.#lost();
    };
    const [first, last] = GREETING_MS;
    const patience = Math.min(last, first * 2 ** this.#failures);
    const opened: Promise<T> = this.#connect({ over, patience, closing: this.#closing.signal });
    this.#opened = opened;
    opened.then(
      (connection) => {
        this.#failures = 0;
        if (this.#opened === opened) this.#current = connection;
        if (this.#closing.signal.aborted) void connection.end();
      },
      () => {
        this.#failures++;
        over();
      },
    );
    return opened;
  }
}

/** A request that was sent and has no answer yet. */
export interface Unanswered {
  /** By `performance.now`. */
  readonly sentAt: number;
  /** Milliseconds of silence that its caller puts up with. */
  readonly patience: number;
}

/** The caller no longer waits for the answer. If nothing came in all that time, another way is tried. */
const SUSPECT_MS = 1_000;

/**
 * Notices that a connection has fallen silent: a request has no answer, and nothing at all was heard for as long
 * as its caller puts up with. Whatever is heard counts, since answers come in an order.
 */
export class Silence {
  readonly #unanswered: Iterable<Unanswered>;
  readonly #fail: (silence: string) => void;
  #timer: NodeJS.Timeout | undefined;
  #heardAt = 0;
  #isOver = false;

  /** `unanswered`: the oldest first, kept by the connection. `fail`: told how long it has lasted. */
  constructor(unanswered: Iterable<Unanswered>, fail: (silence: string) => void) {
    this.#unanswered = unanswered;
    this.#fail = fail;
  }

  /** Whether anything was ever heard. */
  get hasHeard(): boolean {
    return this.#heardAt > 0;
  }

  /** Something came from the server. Call `watch` once it is taken in. */
  heard(): void {
    this.#heardAt = performance.now();
  }

  /** To be called whenever a request was sent or answered. */
  watch(): void {
    clearTimeout(this.#timer);
    const all = [...this.#unanswered];
    const [oldest] = all;
    if (oldest === undefined || this.#isOver) return;
    const ends = all.map(({ sentAt, patience }) => Math.max(sentAt, this.#heardAt) + patience);
    const left = Math.max(1, Math.min(...ends) - performance.now());
    this.#timer = setTimeout(() => this.#tell(oldest.sentAt), left);
  }

  /** A caller no longer waits for what was sent at that time. */
  givenUp(sentAt: number): void {
    if (performance.now() - sentAt >= SUSPECT_MS && this.#heardAt < sentAt) this.#tell(sentAt);
  }

  /** The connection is over. */
  end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  #tell(sentAt: number): void {
    this.#fail(formatDuration(performance.now() - sentAt));
  }
}
