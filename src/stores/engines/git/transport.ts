import type { LockError } from "../../../lock/errors.ts";
import { retryAfterIn } from "../../document/pauses.ts";
import type { StoreOptions } from "../../options.ts";
import { Exchange, type NoAnswer, type WholeAnswer } from "../../remote/exchange.ts";
import { type ProxyFacts, proxyOf } from "../../remote/proxy.ts";
import type { ServerClock } from "../../remote/server-clock.ts";
import { unanswered } from "../trouble.ts";
import type { GitAddress } from "./address.ts";
import type { Credentials } from "./credentials.ts";
import { cutShort, endless, explainRequest, silent } from "./explain.ts";

export type Service = "git-upload-pack" | "git-receive-pack";

/** A question to the server. */
export interface Question {
  readonly service: Service;
  readonly body: Buffer;
  /** Bytes that the answer may have. */
  readonly limit: number;
  readonly signal?: AbortSignal | undefined;
}

/** What the server said, whatever its status. */
export interface Reply {
  readonly status: number;
  readonly type: string;
  readonly bytes: Buffer;
  /** Milliseconds that the server asks for before the next try; null: it does not say. */
  readonly retryAfter: number | null;
  readonly location: string | null;
}

/** A push through all hooks of a busy forge takes a few seconds; whoever needs longer is stuck. */
const ANSWER_MS = 15_000;
/** Shorter than servers and gateways keep silent connections: a push on a dead one is a lost answer. */
const IDLE_MS = 10_000;

/** Connections to one git server, kept between requests. */
export class Transport {
  readonly #address: GitAddress;
  readonly #credentials: Credentials;
  readonly #exchange: Exchange;
  readonly #proxy: ProxyFacts | null;
  readonly #patience: number;

  constructor(
    address: GitAddress,
    credentials: Credentials,
    options: StoreOptions,
    patience = ANSWER_MS,
  ) {
    this.#address = address;
    this.#credentials = credentials;
    this.#exchange = new Exchange(address, options, { timeout: IDLE_MS });
    this.#proxy = proxyOf(address, options.variables ?? process.env);
    this.#patience = patience;
  }

  /**
   * One POST to `path`. Throws a LockError where nothing was sent, AnswerLost where something was,
   * and the signal's reason where it fired.
   */
  async post(path: string, question: Question): Promise<Reply> {
    const { service, body, limit, signal } = question;
    const { host, port } = this.#address;
    const sending = {
      host,
      port,
      path: `${path}/${service}`,
      method: "POST",
      headers: headersOf(service, body, this.#credentials),
      body,
      patience: this.#patience,
      signal,
    };
    try {
      return readReply(await this.#exchange.ask(sending, limit));
    } catch (error) {
      throw unanswered(error, (none) => this.#explain(none));
    }
  }

  get clock(): ServerClock {
    return this.#exchange.clock;
  }

  close(): Promise<void> {
    return this.#exchange.close();
  }

  #explain(error: NoAnswer): LockError {
    const { how, sent, cause } = error;
    switch (how) {
      case "silent":
        return silent(this.#address, this.#patience, this.#proxy, sent);
      case "failed":
        return explainRequest(cause, this.#address, this.#proxy);
      case "endless":
        return endless(this.#address, error);
      case "cut":
        return cutShort(this.#address);
    }
  }
}

function headersOf(service: Service, body: Buffer, { authorization }: Credentials) {
  return {
    accept: `application/x-${service}-result`,
    "content-type": `application/x-${service}-request`,
    "content-length": String(body.length),
    // Forges tell git from browsers by it.
    "user-agent": "git/holdfast",
    // The push has no second version, and is the same in all of them.
    ...(service === "git-upload-pack" ? { "git-protocol": "version=2" } : {}),
    ...(authorization === null ? {} : { authorization }),
  };
}

function readReply({ status, headers, bytes }: WholeAnswer): Reply {
  return {
    status,
    type: (headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? "",
    bytes,
    retryAfter: retryAfterIn(headers["retry-after"]),
    location: headers.location ?? null,
  };
}
