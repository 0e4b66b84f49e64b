import type { ClientRequest, IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { LockError } from "../../../lock/errors.ts";
import type { StoreOptions } from "../../options.ts";
import { collect, type HttpWire, openHttpWire } from "../../remote/http-wire.ts";
import { type ProxyFacts, proxyOf } from "../../remote/proxy.ts";
import { retryAfterIn } from "../pauses.ts";
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

/**
 * The request was sent, and no whole answer came back: nobody knows whether it was carried out.
 * `why` is the sentence for the case that it does not matter.
 */
export class AnswerLost extends Error {
  readonly why: LockError;
  /** It was sent on a kept connection that gave no sign any more: a read is simply sent again. */
  readonly isStale: boolean;

  constructor(why: LockError, isStale = false) {
    super(why.message, { cause: why });
    this.why = why;
    this.isStale = isStale;
  }
}

/** A push through all hooks of a busy forge takes a few seconds; whoever needs longer is stuck. */
export const ANSWER_MS = 15_000;
/** Shorter than servers and gateways keep silent connections: a push on a dead one is a lost answer. */
const IDLE_MS = 10_000;

/** Connections to one git server, kept between requests. */
export class Transport {
  readonly #address: GitAddress;
  readonly #credentials: Credentials;
  readonly #options: StoreOptions;
  readonly #proxy: ProxyFacts | null;
  readonly #patience: number;
  #wire: Promise<HttpWire> | null = null;

  constructor(
    address: GitAddress,
    credentials: Credentials,
    options: StoreOptions,
    patience = ANSWER_MS,
  ) {
    this.#address = address;
    this.#credentials = credentials;
    this.#options = options;
    this.#proxy = proxyOf(address, process.env);
    this.#patience = patience;
  }

  /**
   * One POST to `path`. Throws a LockError where nothing was sent, AnswerLost where something was,
   * and the signal's reason where it fired.
   */
  async post(path: string, question: Question): Promise<Reply> {
    question.signal?.throwIfAborted();
    this.#wire ??= openHttpWire(this.#address, this.#options, { timeout: IDLE_MS });
    const wire = await this.#wire;
    question.signal?.throwIfAborted();
    return this.#send(wire, path, question);
  }

  async close(): Promise<void> {
    const wire = await this.#wire?.catch(() => null);
    wire?.agent.destroy();
  }

  #send(wire: HttpWire, path: string, { service, body, limit, signal }: Question): Promise<Reply> {
    const address = this.#address;
    const { host, port } = address;
    return new Promise((resolve, reject) => {
      const headers = headersOf(service, body, this.#credentials);
      const request: ClientRequest = wire.request({
        agent: wire.agent,
        host,
        port,
        path: `${path}/${service}`,
        method: "POST",
        headers,
      });
      let sent = false;
      let began = false;
      const settle = (finish: () => void) => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", cancel);
        finish();
        request.destroy();
      };
      const fail = (error: LockError, isStale = false) => {
        settle(() => reject(sent ? new AnswerLost(error, isStale) : error));
      };
      const cancel = () => settle(() => reject(signal?.reason));
      const late = () => fail(silent(address, this.#patience, this.#proxy, sent));
      const timer = setTimeout(late, this.#patience);
      signal?.addEventListener("abort", cancel, { once: true });
      request.on("socket", (socket) => {
        whenOpen(socket, address.secure, () => {
          sent = true;
        });
      });
      request.on("error", (error) => {
        const isStale = request.reusedSocket && !began;
        fail(explainRequest(error, address, this.#proxy, began), isStale);
      });
      request.on("response", (response) => {
        began = true;
        collect(response, limit).then(
          (bytes) => {
            clearTimeout(timer);
            signal?.removeEventListener("abort", cancel);
            resolve(readReply(response, bytes));
          },
          (error) => fail(error === "endless" ? endless(address) : cutShort(address)),
        );
      });
      request.end(body);
    });
  }
}

/** Before a connection stands, no byte of a request is on its way. */
function whenOpen(socket: Socket, secure: boolean, then: () => void): void {
  const isOpening =
    socket.connecting || (socket as { secureConnecting?: boolean }).secureConnecting === true;
  if (isOpening) socket.once(secure ? "secureConnect" : "connect", then);
  else then();
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

function readReply({ statusCode = 0, headers }: IncomingMessage, bytes: Buffer): Reply {
  return {
    status: statusCode,
    type: (headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? "",
    bytes,
    retryAfter: retryAfterIn(headers["retry-after"]),
    location: headers.location ?? null,
  };
}
