import type { StoreOptions } from "../../options.ts";
import { Exchange, type Sending } from "../../remote/exchange.ts";
import type { ServerClock } from "../../remote/server-clock.ts";
import { unanswered } from "../trouble.ts";
import type { Endpoint, EtcdAddress } from "./address.ts";
import { explainSocket, silent, unreachable } from "./explain.ts";

/** A POST to one endpoint. */
export interface Post {
  readonly endpoint: Endpoint;
  readonly path: string;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds until the whole answer, or of a stream its beginning, must be there. */
  readonly patience: number;
  readonly signal?: AbortSignal | undefined;
}

export interface Reply {
  readonly status: number;
  readonly text: string;
}

/** Longer than any answer of this store, and shorter than gateways keep silent connections. */
const IDLE_MS = 15_000;
/** A document and its frame in base64, or a list of many keys. */
const ANSWER_BYTES_LIMIT = 32 * 1024 * 1024;
/** A half-open connection of a watch is noticed so soon. */
const PROBE_MS = 5_000;

/** Connections to the endpoints of one etcd, kept between requests. */
export class Transport {
  readonly #address: EtcdAddress;
  readonly #exchange: Exchange;
  #isClosed = false;

  constructor(address: EtcdAddress, options: StoreOptions) {
    this.#address = address;
    this.#exchange = new Exchange(address, options, { timeout: IDLE_MS });
  }

  /** Throws a LockError where nothing was sent, AnswerLost where something was, else the signal's reason. */
  async post(post: Post): Promise<Reply> {
    try {
      const { status, bytes } = await this.#exchange.ask(this.#sending(post), ANSWER_BYTES_LIMIT);
      return { status, text: bytes.toString("utf8") };
    } catch (error) {
      throw this.#explained(error, post);
    }
  }

  /** The answer as it comes, until it ends, fails or the signal fires. */
  async *stream(post: Post): AsyncGenerator<Reply> {
    const begun = this.#exchange.begin(this.#sending(post));
    const { response, release, arrived } = await begun.catch((error) => {
      throw this.#explained(error, post);
    });
    arrived();
    response.socket.setKeepAlive(true, PROBE_MS);
    const status = response.statusCode ?? 0;
    let rest = "";
    try {
      response.setEncoding("utf8");
      for await (const chunk of response as AsyncIterable<string>) {
        const lines = (rest + chunk).split("\n");
        rest = lines.pop() ?? "";
        for (const text of lines) yield { status, text };
      }
      if (rest !== "") yield { status, text: rest };
    } finally {
      release();
      response.destroy();
    }
  }

  get clock(): ServerClock {
    return this.#exchange.clock;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#exchange.close();
  }

  #sending({ endpoint, path, body, headers = {}, patience, signal }: Post): Sending {
    if (this.#isClosed) throw unreachable(this.#address, "was closed here");
    const bytes = Buffer.from(JSON.stringify(body));
    return {
      host: endpoint.host,
      port: endpoint.port,
      path,
      method: "POST",
      headers: {
        "content-type": "application/json",
        "content-length": String(bytes.length),
        ...headers,
      },
      body: bytes,
      patience,
      signal,
    };
  }

  #explained(error: unknown, { endpoint, patience }: Post): unknown {
    return unanswered(error, ({ how, cause }) => {
      if (how === "silent") return silent(this.#address, endpoint, patience);
      if (how === "failed") return explainSocket(cause, this.#address, endpoint);
      const why = `stopped in the middle of its answer on ${endpoint.shown}`;
      return unreachable(this.#address, why);
    });
  }
}
