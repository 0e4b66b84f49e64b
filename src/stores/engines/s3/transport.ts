import type { IncomingMessage } from "node:http";
import { formatDuration } from "../../../lock/duration.ts";
import { type LockError, systemCode } from "../../../lock/errors.ts";
import type { StoreOptions } from "../../options.ts";
import { Exchange, type NoAnswer } from "../../remote/exchange.ts";
import { type ProxyFacts, proxyOf } from "../../remote/proxy.ts";
import type { ServerClock } from "../../remote/server-clock.ts";
import { explainSocket, unanswered, unreachable } from "../trouble.ts";
import type { S3Address } from "./address.ts";
import type { Credentials } from "./credentials.ts";
import { sign, type Unsigned } from "./sign.ts";

/** A request, and how long its answer is waited for. */
export interface Request extends Unsigned {
  /** Milliseconds. */
  readonly patience: number;
  readonly signal?: AbortSignal | undefined;
}

/** What the server said, whatever its status. */
export interface Reply {
  readonly status: number;
  readonly text: string;
  readonly headers: IncomingMessage["headers"];
  /** The time that the request was signed with. */
  readonly signedAt: number;
}

/** A document has 64 KiB at most, and a list of a thousand names some hundred. */
const ANSWER_BYTES_LIMIT = 4 * 1024 * 1024;
/** Shorter than servers keep silent connections: a swap on a dead one is a lost answer. */
const IDLE_MS = 5_000;

/** Differences of clocks that are none: servers allow a quarter of an hour. */
export const SKEW_MS = 5 * 60_000;

/** Connections to one S3 server, kept between requests. Each request is signed when it is sent. */
export class Transport {
  readonly #address: S3Address;
  readonly #credentials: Credentials;
  readonly #proxy: ProxyFacts | null;
  readonly #exchange: Exchange;
  /** What the signer derives from the secret, a day's worth. */
  readonly #keys = new Map<string, ArrayBuffer>();
  /** Milliseconds that the server's clock is ahead of this machine's, where that is too much. */
  #ahead = 0;

  constructor(address: S3Address, credentials: Credentials, options: StoreOptions) {
    this.#address = address;
    this.#credentials = credentials;
    this.#exchange = new Exchange(address, options, { timeout: IDLE_MS });
    this.#proxy = proxyOf(address, options.variables ?? process.env);
  }

  /** Signs by the server's clock from now on, where this machine's differs by too much. */
  setClock(date: number): void {
    const ahead = date - Date.now();
    this.#ahead = Math.abs(ahead) < SKEW_MS ? 0 : ahead;
  }

  /** Throws a LockError where nothing was sent, AnswerLost where something was, and a signal's reason. */
  async send(request: Request): Promise<Reply> {
    const { method, target, body, patience, signal } = request;
    signal?.throwIfAborted();
    const { host, port } = this.#address;
    const signedAt = Date.now() + this.#ahead;
    const signed = await sign(this.#address, this.#credentials, this.#keys, request, signedAt);
    const headers = { ...signed, ...lengthOf(method, body) };
    const sending = { host, port, path: target, method, headers, body, patience, signal };
    try {
      const answer = await this.#exchange.ask(sending, ANSWER_BYTES_LIMIT);
      return { ...answer, text: answer.bytes.toString("utf8"), signedAt };
    } catch (error) {
      throw unanswered(error, (none) => this.#explain(none, patience));
    }
  }

  get clock(): ServerClock {
    return this.#exchange.clock;
  }

  close(): Promise<void> {
    return this.#exchange.close();
  }

  #explain({ how, sent, cause }: NoAnswer, patience: number): LockError {
    if (how === "silent") return this.#silent(patience, sent);
    if (how === "failed") return this.#failed(cause);
    const what =
      how === "endless"
        ? "answers with more than was asked for"
        : "stopped in the middle of its answer";
    return unreachable(this.#address, `${what}: check the endpoint`);
  }

  #silent(patience: number, sent: boolean): LockError {
    const what = sent ? "did not answer" : "could not be connected to";
    const between = this.#proxy === null ? "the firewall in between" : this.#proxy.variable;
    return unreachable(
      this.#address,
      `${what} within ${formatDuration(patience)}: check the endpoint and ${between}`,
    );
  }

  #failed(error: unknown): LockError {
    const proxy = this.#proxy;
    const code = systemCode(error) ?? "";
    if (proxy !== null && (code === "ERR_PROXY_TUNNEL" || proxy.failedWith(error))) {
      const why = `is asked through the proxy ${proxy.shown} (${proxy.variable}), which opens no way there: check it, or name the server in NO_PROXY`;
      return unreachable(this.#address, why, error);
    }
    if (/^HPE_/.test(code)) {
      const why = `does not speak HTTP (${code}): check the endpoint`;
      return unreachable(this.#address, why, error);
    }
    return explainSocket(this.#address, error);
  }
}

/** Servers want it of every PUT, also of an empty one. */
function lengthOf(method: string, body: Buffer): Record<string, string> {
  return method === "PUT" ? { "content-length": String(body.length) } : {};
}
