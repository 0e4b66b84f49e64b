import { isIP, connect as openTcp, type Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import type { LockError } from "../../lock/errors.ts";
import { LineReader } from "../../wire/line-reader.ts";
import { parseReply, type Reply } from "../../wire/reply.ts";
import { formatRequest, type Request } from "../../wire/request.ts";
import { closed } from "../remote/trouble.ts";
import type { Address } from "./address.ts";
import { explainFailure, hungUp, speaksOtherwise, speaksTls } from "./errors.ts";

/**
 * If a server vanishes while a claim waits in silence, TCP's own probes find that: after this time, then ten of
 * them a second apart.
 */
const KEEP_ALIVE_MS = 10_000;
/** How long a leaving client waits for the server's own goodbye. */
const GOODBYE_MS = 2_000;
/** The first byte of a TLS alert, which is what a TLS server says to plain text. */
const TLS_ALERT = 0x15;

interface Asked {
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: LockError) => void;
}

export interface ConnectionOptions {
  /** Certificates to trust; left out: the system's. */
  readonly certificates?: readonly string[];
  /** Secrets that must be in no sentence. */
  readonly secret: string | null;
}

/**
 * One conversation with one server: requests out, replies in the same order. Several may be asked ahead. If it
 * fails, every question in it fails with the same error.
 */
export class Connection {
  readonly address: Address;
  readonly #socket: Socket;
  readonly #reader = new LineReader();
  readonly #asked: Asked[] = [];
  readonly #secret: string | null;
  readonly #ended = Promise.withResolvers<LockError>();
  #answered = false;
  #firstByte: number | undefined;
  #failure: LockError | null = null;

  constructor(address: Address, options: ConnectionOptions) {
    this.address = address;
    this.#secret = options.secret;
    this.#socket = address.secure ? openSecure(address, options) : openTcp(address);
    this.#socket.setNoDelay(true);
    this.#socket.setKeepAlive(true, KEEP_ALIVE_MS);
    this.#socket.on("data", (chunk: Buffer) => this.#hear(chunk));
    this.#socket.on("error", (error) => this.#fail(explainFailure(error, address, this.#answered)));
    this.#socket.on("close", () => this.#fail(this.#goodbye()));
  }

  /** Resolves, with the reason, when nothing can be asked any more. */
  get ended(): Promise<LockError> {
    return this.#ended.promise;
  }

  get failure(): LockError | null {
    return this.#failure;
  }

  /** Rejects with a LockError when the connection ends first. May be left unawaited. */
  ask(request: Request): Promise<Reply> {
    const answer = new Promise<Reply>((resolve, reject) => {
      if (this.#failure !== null) return reject(this.#failure);
      const text = formatRequest(request);
      this.#asked.push({ resolve, reject });
      // Questions that are asked together go out in one packet, and the server answers them together.
      this.#socket.cork();
      this.#socket.write(text);
      process.nextTick(() => this.#socket.uncork());
    });
    answer.catch(() => {});
    return answer;
  }

  /**
   * Says goodbye and waits for the server's goodbye: by then the server has left every line and released
   * everything. A server that does not notice is not waited for long.
   */
  async leave(): Promise<void> {
    if (this.#socket.destroyed) return;
    const closed = new Promise<void>((resolve) => this.#socket.once("close", () => resolve()));
    this.#socket.ref();
    const timer = setTimeout(() => this.#socket.destroy(), GOODBYE_MS);
    this.#socket.end();
    await closed;
    clearTimeout(timer);
  }

  /** Closes at once. Every question without a reply is told `reason`. */
  destroy(reason?: LockError): void {
    this.#fail(reason ?? closed(this.address));
  }

  /** Whether it keeps this process running. */
  keepAlive(wanted: boolean): void {
    if (wanted) this.#socket.ref();
    else this.#socket.unref();
  }

  #hear(chunk: Buffer): void {
    this.#firstByte ??= chunk[0];
    this.#reader.push(chunk);
    for (let line = this.#reader.next(); line !== null; line = this.#reader.next()) {
      const reply = parseReply(line);
      if (reply.kind === "unknown") {
        this.#fail(speaksOtherwise(this.address, line, this.#secret));
        return;
      }
      this.#answered = true;
      // An `error` that nobody asked for comes before a close, and adds nothing to it.
      this.#asked.shift()?.resolve(reply);
    }
    if (this.#reader.tooLong) {
      this.#fail(speaksOtherwise(this.address, "a line without end", this.#secret));
    }
  }

  #goodbye(): LockError {
    if (this.#answered) return closed(this.address);
    const isTls = this.#firstByte === TLS_ALERT && !this.address.secure;
    return isTls ? speaksTls(this.address) : hungUp(this.address);
  }

  #fail(error: LockError): void {
    this.#socket.destroy();
    if (this.#failure !== null) return;
    this.#failure = error;
    for (const { reject } of this.#asked.splice(0)) reject(error);
    this.#ended.resolve(error);
  }
}

function openSecure(address: Address, { certificates }: ConnectionOptions): TLSSocket {
  const { host, port } = address;
  // Loaded here: a conversation without TLS must not pay for it.
  return process.getBuiltinModule("node:tls").connect({
    host,
    port,
    minVersion: "TLSv1.2",
    // An address is no name that could be sent; the certificate is then checked for the address.
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(certificates === undefined ? {} : { ca: [...certificates] }),
  });
}
