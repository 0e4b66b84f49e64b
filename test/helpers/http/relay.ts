import { once } from "node:events";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
  request as send,
} from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { listen, portOf } from "../ports.ts";

/** What becomes of one request on its way to the server. Without anything: it is passed on. */
export interface Treatment {
  /** The path that is asked for in its place. */
  readonly path?: string;
  /** A field that is left out of the answer. */
  readonly without?: string;
  /** Milliseconds until the answer is passed back. */
  readonly slow?: number;
  /** Half of the answer, then the end of the connection. */
  readonly half?: boolean;
  /** An answer of the relay's own, with `body` as JSON or, where it is text, as HTML. */
  readonly status?: number;
  readonly body?: object | string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Something that speaks HTTP in a server's place, or stands before one, as gateways do. */
export class Relay {
  readonly #server = createServer((request, response) => {
    this.requests.push({ line: `${request.method} ${request.url}`, headers: request.headers });
    this.#answer(request, response).catch(() => response.destroy());
  });
  readonly requests: { line: string; headers: IncomingHttpHeaders }[] = [];
  readonly #target: number;
  /** May be changed at any time. */
  treat: (line: string) => Treatment;

  private constructor(target: number, treat: (line: string) => Treatment) {
    this.#target = target;
    this.treat = treat;
  }

  static async start(treat: (line: string) => Treatment, target = 0): Promise<Relay> {
    const relay = new Relay(target, treat);
    await listen(relay.#server);
    onTestFinished(() => {
      relay.#server.closeAllConnections();
      relay.#server.close();
    });
    return relay;
  }

  get url(): string {
    return `http://127.0.0.1:${portOf(this.#server)}`;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status, headers, body: whole, treatment } = await this.#serve(request);
    const body = treatment.without === undefined ? whole : withoutField(whole, treatment.without);
    if (treatment.slow !== undefined) await delay(treatment.slow);
    if (response.destroyed) return;
    response.writeHead(status, { ...headers, "content-length": body.length });
    if (treatment.half === true) {
      response.write(body.subarray(0, body.length / 2));
      setImmediate(() => response.destroy());
    } else {
      response.end(body);
    }
  }

  async #serve(request: IncomingMessage) {
    const treatment = this.treat(`${request.method} ${request.url}`);
    const { status, body: own = "" } = treatment;
    if (status === undefined)
      return { ...(await this.#forward(request, treatment.path)), treatment };
    const isPage = typeof own === "string";
    const body = Buffer.from(isPage ? own : JSON.stringify(own));
    const type = isPage ? "text/html" : "application/json";
    request.resume();
    const headers = { "content-type": type, ...treatment.headers };
    return { status, headers, body, treatment };
  }

  async #forward(request: IncomingMessage, path = request.url ?? "/") {
    const { method = "GET", headers } = request;
    const onward = send({ host: "127.0.0.1", port: this.#target, method, path, headers });
    const hungUp = () => onward.destroy();
    request.socket.once("close", hungUp);
    request.pipe(onward);
    const [response] = (await once(onward, "response")) as [IncomingMessage];
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    request.socket.off("close", hungUp);
    const { "content-type": type = "text/plain" } = response.headers;
    return { status: response.statusCode ?? 0, headers: { "content-type": type }, body };
  }
}

function withoutField(body: Buffer, name: string): Buffer {
  const { [name]: _, ...rest } = JSON.parse(body.toString("utf8"));
  return Buffer.from(JSON.stringify(rest));
}
