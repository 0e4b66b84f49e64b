import type {
  Agent,
  AgentOptions,
  ClientRequest,
  IncomingHttpHeaders,
  IncomingMessage,
  RequestOptions,
} from "node:http";
import type { Socket } from "node:net";
import type { StoreOptions } from "../options.ts";
import { ServerClock } from "./server-clock.ts";
import { NoAnswer } from "./trouble.ts";

/** A request, and how long to wait for it. */
export interface Sending extends Pick<RequestOptions, "method" | "headers"> {
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly body: Buffer;
  /** Milliseconds until the whole answer must be there; of a stream, its beginning. */
  readonly patience: number;
  readonly signal?: AbortSignal | undefined;
  /** It may be carried out twice: it is sent again if a kept connection turned out to be dead. */
  readonly isRepeatable?: boolean;
  /** Its time limit does not keep this process running. */
  readonly isBackground?: boolean;
  /** Hears of each request before it is sent. */
  readonly onRequest?: (request: ClientRequest) => void;
}

export interface WholeAnswer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly bytes: Buffer;
}

/** An answer that has begun. */
export interface BegunAnswer {
  readonly response: IncomingMessage;
  /** The answer goes on for as long as it likes; only the signal ends it. */
  arrived(): void;
  /** Nothing ends it any more. */
  release(): void;
  /** Why it was ended from here, if it was. */
  readonly ended: () => unknown;
}

/** A Date header is exact to the second. */
const DATE_PRECISION_MS = 1_000;

/** Requests to HTTP servers of one kind, on connections that are kept in between. */
export class Exchange {
  /** By the Date header of the answers. */
  readonly clock = new ServerClock();
  readonly #open: () => Promise<HttpWire>;
  #wire: Promise<HttpWire> | null = null;

  constructor(address: { readonly secure: boolean }, options: StoreOptions, agent: AgentOptions) {
    this.#open = () => openHttpWire(address, options, agent);
  }

  /** The whole answer, whatever its status. Throws NoAnswer if there is none, else the signal's reason. */
  async ask(sending: Sending, limit: number): Promise<WholeAnswer> {
    const sentAt = performance.now();
    const { response, release, ended } = await this.begin(sending).catch((error) => {
      if (sending.isRepeatable && error instanceof NoAnswer && error.isStale)
        return this.begin(sending);
      throw error;
    });
    this.clock.heard(Date.parse(response.headers.date ?? ""), sentAt, DATE_PRECISION_MS);
    try {
      const bytes = await collect(response, limit);
      return { status: response.statusCode ?? 0, headers: response.headers, bytes };
    } catch (error) {
      throw ended() ?? new NoAnswer(error === "endless" ? "endless" : "cut", true, false, error);
    } finally {
      release();
    }
  }

  /** The beginning of an answer. Throws as `ask` does. */
  async begin(sending: Sending): Promise<BegunAnswer> {
    const { body, patience, signal, isRepeatable: _, isBackground, onRequest, ...rest } = sending;
    signal?.throwIfAborted();
    this.#wire ??= this.#open();
    const wire = await this.#wire;
    signal?.throwIfAborted();
    const begun = Promise.withResolvers<BegunAnswer>();
    const request = wire.request({ agent: wire.agent, ...rest });
    let sent = false;
    let began = false;
    let why: unknown;
    const end = (reason: unknown) => {
      why = reason;
      release();
      begun.reject(reason);
      request.destroy();
    };
    const cancel = () => end(signal?.reason);
    const timer = setTimeout(() => end(new NoAnswer("silent", sent, false)), patience);
    if (isBackground) timer.unref();
    const release = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", cancel);
    };
    signal?.addEventListener("abort", cancel, { once: true });
    onRequest?.(request);
    request.on("socket", (socket) => {
      whenOpen(socket, wire.secure, () => {
        sent = true;
      });
    });
    request.on("error", (error) => {
      if (!began) end(new NoAnswer("failed", sent, request.reusedSocket, error));
    });
    request.on("response", (response) => {
      // From here on a failure of the request is one of the response, whose reader hears of it.
      began = true;
      response.on("error", () => {});
      begun.resolve({ response, release, arrived: () => clearTimeout(timer), ended: () => why });
    });
    request.end(body);
    return begun.promise;
  }

  /** The connections that are kept and not in use. */
  async idle(): Promise<Socket[]> {
    const wire = await this.#wire?.catch(() => null);
    return Object.values(wire?.agent.freeSockets ?? {}).flatMap((sockets) => sockets ?? []);
  }

  async close(): Promise<void> {
    const wire = await this.#wire?.catch(() => null);
    wire?.agent.destroy();
  }
}

/** Before a connection stands, no byte of a request is on its way. */
function whenOpen(socket: Socket, secure: boolean, then: () => void): void {
  const isOpening =
    socket.connecting || (socket as { secureConnecting?: boolean }).secureConnecting === true;
  if (isOpening) socket.once(secure ? "secureConnect" : "connect", then);
  else then();
}

/** How requests reach one HTTP server: Node's agent, which keeps connections, and its `request`. */
interface HttpWire {
  readonly agent: Agent;
  readonly request: typeof import("node:http").request;
  readonly secure: boolean;
}

/** Opens the wire to a server. What only TLS needs is loaded only for TLS. */
async function openHttpWire(
  { secure }: { readonly secure: boolean },
  options: StoreOptions,
  agentOptions: AgentOptions,
): Promise<HttpWire> {
  const proxyEnv = options.variables ?? process.env;
  const shared = { keepAlive: true, proxyEnv, ...agentOptions };
  if (!secure) {
    const { Agent, request } = await import("node:http");
    return { agent: new Agent(shared), request, secure };
  }
  const [{ Agent, request }, { readTrusted }] = await Promise.all([
    import("node:https"),
    import("./certificates.ts"),
  ]);
  const trusted = await readTrusted(options);
  const ca = trusted === undefined ? {} : { ca: [...trusted] };
  return { agent: new Agent({ ...shared, minVersion: "TLSv1.2", ...ca }), request, secure };
}

/** A whole answer. Throws "endless" if it has more than `limit` bytes, "cut" if its end is missing. */
async function collect(response: IncomingMessage, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) throw "endless";
    chunks.push(chunk);
  }
  if (!response.complete) throw "cut";
  return Buffer.concat(chunks);
}

/** Milliseconds in the Retry-After header, which may also name a date; null if there is none. */
export function retryAfterIn({ "retry-after": text = "" }: IncomingHttpHeaders): number | null {
  const named = text.trim();
  if (named === "") return null;
  const wait = /^\d+$/.test(named) ? Number(named) * 1_000 : Date.parse(named) - Date.now();
  return Number.isNaN(wait) ? null : Math.max(0, wait);
}
