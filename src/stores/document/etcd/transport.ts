import type { ClientRequest, IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { LockError } from "../../../lock/errors.ts";
import type { StoreOptions } from "../../options.ts";
import { collect, type HttpWire, openHttpWire } from "../../remote/http-wire.ts";
import { AnswerLost } from "../engine/trouble.ts";
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

/** It was sent on a kept connection that gave no sign any more: a read is simply sent again. */
export class StaleConnection extends AnswerLost {}

/** Longer than any answer of this store, and shorter than gateways keep silent connections. */
const IDLE_MS = 15_000;
/** A document and its frame in base64, or a list of many keys. */
const ANSWER_BYTES_LIMIT = 32 * 1024 * 1024;
/** A half-open connection of a watch is noticed so soon. */
const PROBE_MS = 5_000;

/** Connections to the endpoints of one etcd, kept between requests. */
export class Transport {
  readonly #address: EtcdAddress;
  readonly #options: StoreOptions;
  #wire: Promise<HttpWire> | null = null;
  #isClosed = false;

  constructor(address: EtcdAddress, options: StoreOptions) {
    this.#address = address;
    this.#options = options;
  }

  /** Throws a LockError where nothing was sent, AnswerLost where something was, else the signal's reason. */
  async post(post: Post): Promise<Reply> {
    const { response, release } = await this.#begin(post);
    try {
      const bytes = await collect(response, ANSWER_BYTES_LIMIT);
      return { status: response.statusCode ?? 0, text: bytes.toString("utf8") };
    } catch {
      if (post.signal?.aborted) throw post.signal.reason;
      const why = `stopped in the middle of its answer on ${post.endpoint.shown}`;
      throw new AnswerLost(unreachable(this.#address, why));
    } finally {
      release();
    }
  }

  /** The answer as it comes, until it ends, fails or the signal fires. */
  async *stream(post: Post): AsyncGenerator<Reply> {
    const { response, release, arrived } = await this.#begin(post);
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

  async close(): Promise<void> {
    this.#isClosed = true;
    const wire = await this.#wire?.catch(() => null);
    wire?.agent.destroy();
  }

  async #begin(post: Post): Promise<Begun> {
    post.signal?.throwIfAborted();
    this.#wire ??= openHttpWire(this.#address, this.#options, { timeout: IDLE_MS });
    const wire = await this.#wire;
    post.signal?.throwIfAborted();
    if (this.#isClosed) throw unreachable(this.#address, "was closed here");
    return this.#send(wire, post);
  }

  #send(wire: HttpWire, post: Post): Promise<Begun> {
    const { endpoint, path, body, headers = {}, patience, signal } = post;
    const bytes = Buffer.from(JSON.stringify(body));
    return new Promise((resolve, reject) => {
      const request: ClientRequest = wire.request({
        agent: wire.agent,
        host: endpoint.host,
        port: endpoint.port,
        path,
        method: "POST",
        headers: {
          "content-type": "application/json",
          "content-length": String(bytes.length),
          ...headers,
        },
      });
      let sent = false;
      const fail = (error: LockError, isStale = false) => {
        release();
        const Lost = isStale ? StaleConnection : AnswerLost;
        reject(sent ? new Lost(error) : error);
        request.destroy();
      };
      const cancel = () => {
        release();
        reject(signal?.reason);
        request.destroy();
      };
      const timer = setTimeout(() => fail(silent(this.#address, endpoint, patience)), patience);
      const release = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", cancel);
      };
      signal?.addEventListener("abort", cancel, { once: true });
      request.on("socket", (socket) => {
        whenOpen(socket, this.#address.secure, () => {
          sent = true;
        });
      });
      request.on("error", (error) => {
        fail(explainSocket(error, this.#address, endpoint), request.reusedSocket);
      });
      request.on("response", (response) => {
        // From here on a failure of the request is one of the response.
        response.on("error", () => {});
        resolve({ response, release, arrived: () => clearTimeout(timer) });
      });
      request.end(bytes);
    });
  }
}

interface Begun {
  readonly response: IncomingMessage;
  /** Nothing ends it any more. */
  release(): void;
  /** It goes on for as long as it likes; only the signal ends it. */
  arrived(): void;
}

/** Before a connection stands, no byte of a request is on its way. */
function whenOpen(socket: Socket, secure: boolean, then: () => void): void {
  const isOpening =
    socket.connecting || (socket as { secureConnecting?: boolean }).secureConnecting === true;
  if (isOpening) socket.once(secure ? "secureConnect" : "connect", then);
  else then();
}
