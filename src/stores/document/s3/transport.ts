import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { formatDuration } from "../../../lock/duration.ts";
import { type LockError, systemCode } from "../../../lock/errors.ts";
import type { StoreOptions } from "../../options.ts";
import { collect, type HttpWire, openHttpWire } from "../../remote/http-wire.ts";
import { type ProxyFacts, proxyOf } from "../../remote/proxy.ts";
import { AnswerLost, explainSocket, unreachable } from "../engine/trouble.ts";
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

/** The connection had been kept, and gave no sign any more: a read is simply sent again. */
export class StaleConnection extends AnswerLost {}

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
  readonly #options: StoreOptions;
  readonly #proxy: ProxyFacts | null;
  /** What the signer derives from the secret, a day's worth. */
  readonly #keys = new Map<string, ArrayBuffer>();
  #wire: Promise<HttpWire> | null = null;
  /** Milliseconds that the server's clock is ahead of this machine's, where that is too much. */
  #ahead = 0;

  constructor(address: S3Address, credentials: Credentials, options: StoreOptions) {
    this.#address = address;
    this.#credentials = credentials;
    this.#options = options;
    this.#proxy = proxyOf(address, process.env);
  }

  /** Signs by the server's clock from now on, where this machine's differs by too much. */
  setClock(date: number): void {
    const ahead = date - Date.now();
    this.#ahead = Math.abs(ahead) < SKEW_MS ? 0 : ahead;
  }

  /** Throws a LockError where nothing was sent, AnswerLost where something was, and a signal's reason. */
  async send(request: Request): Promise<Reply> {
    request.signal?.throwIfAborted();
    this.#wire ??= openHttpWire(this.#address, this.#options, { timeout: IDLE_MS });
    const signedAt = Date.now() + this.#ahead;
    const [wire, headers] = await Promise.all([
      this.#wire,
      sign(this.#address, this.#credentials, this.#keys, request, signedAt),
    ]);
    request.signal?.throwIfAborted();
    return { ...(await this.#exchange(wire, request, headers)), signedAt };
  }

  async close(): Promise<void> {
    const wire = await this.#wire?.catch(() => null);
    wire?.agent.destroy();
  }

  #exchange(
    wire: HttpWire,
    { method, target, body, patience, signal }: Request,
    headers: Record<string, string>,
  ): Promise<Omit<Reply, "signedAt">> {
    const { host, port, secure } = this.#address;
    return new Promise((resolve, reject) => {
      const request = wire.request({
        ...{ agent: wire.agent, host, port, path: target, method },
        headers: { ...headers, ...lengthOf(method, body) },
      });
      let sent = false;
      let began = false;
      const settle = (finish: () => void) => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", cancel);
        finish();
      };
      const fail = (why: LockError) => {
        const isStale = request.reusedSocket && !began;
        const lost = isStale ? new StaleConnection(why) : new AnswerLost(why);
        settle(() => reject(sent ? lost : why));
        request.destroy();
      };
      const cancel = () => {
        settle(() => reject(signal?.reason));
        request.destroy();
      };
      const timer = setTimeout(() => fail(this.#silent(patience, sent)), patience);
      signal?.addEventListener("abort", cancel, { once: true });
      request.on("socket", (socket) => {
        whenOpen(socket, secure, () => {
          sent = true;
        });
      });
      request.on("error", (error) => fail(this.#explain(error)));
      request.on("response", (response) => {
        began = true;
        collect(response, ANSWER_BYTES_LIMIT).then(
          (bytes) => {
            const { statusCode: status = 0, headers } = response;
            settle(() => resolve({ status, text: bytes.toString("utf8"), headers }));
          },
          (why) => fail(this.#halfAnswered(why)),
        );
      });
      request.end(body);
    });
  }

  #silent(patience: number, sent: boolean): LockError {
    const what = sent ? "did not answer" : "could not be connected to";
    const between = this.#proxy === null ? "the firewall in between" : this.#proxy.variable;
    return unreachable(
      this.#address,
      `${what} within ${formatDuration(patience)}: check the endpoint and ${between}`,
    );
  }

  #halfAnswered(why: unknown): LockError {
    if (why !== "endless" && why !== "cut") return this.#explain(why);
    const what =
      why === "endless"
        ? "answers with more than was asked for"
        : "stopped in the middle of its answer";
    return unreachable(this.#address, `${what}: check the endpoint`);
  }

  #explain(error: unknown): LockError {
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

/** Before a connection stands, no byte of a request is on its way. */
function whenOpen(socket: Socket, secure: boolean, then: () => void): void {
  const isOpening =
    socket.connecting || (socket as { secureConnecting?: boolean }).secureConnecting === true;
  if (isOpening) socket.once(secure ? "secureConnect" : "connect", then);
  else then();
}
