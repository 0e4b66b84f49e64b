import type { ClientRequest } from "node:http";
import type { Socket } from "node:net";
import { LockError } from "../../lock/errors.ts";
import { maySendSecret } from "../../lock/text.ts";
import type { StoreOptions } from "../options.ts";
import { Exchange, type Sending } from "../remote/exchange.ts";
import { type ProxyFacts, proxyOf } from "../remote/proxy.ts";
import { explainNoAnswer, NoAnswer } from "../remote/trouble.ts";
import { aborted } from "../sentences.ts";
import type { Variables } from "../variables.ts";
import type { Address } from "./address.ts";
import { type Answer, readAnswer } from "./answer.ts";
import { redirected, refusal } from "./errors.ts";
import { type AskIdToken, idTokensFor, withoutProxy } from "./id-token.ts";

/** For requests that a server answers at once: a busy one far away needs a second or two. */
export const ANSWER_MS = 10_000;
const ANSWER_BYTES_LIMIT = 2 ** 20;
/** The most bytes about one key: a thousand holders, and the first of its line. */
export const KEY_BYTES_LIMIT = 2 ** 23;
/** The most bytes about all keys: 10,000 of them, each with a holder and its line. */
export const LIST_BYTES_LIMIT = 2 ** 26;
const REDIRECTS_LIMIT = 3;
/** If a server vanishes while a claim waits in silence, TCP's own probes find that too. */
const KEEP_ALIVE_MS = 10_000;

export interface Question {
  readonly method?: "GET" | "POST" | "PUT" | "DELETE";
  /** With its query. */
  readonly path: string;
  /** A session's id or the server's token. */
  readonly bearer: string | null;
  readonly body?: object;
  /** The token of a run's hold. It is no part of the path, since paths are logged on the way. */
  readonly holdToken?: string;
  /** Milliseconds until the answer is complete. */
  readonly patience?: number;
  readonly signal?: AbortSignal;
  /** How long the answer may be. */
  readonly bytesLimit?: number;
  /** True: it does not keep this process running. */
  readonly background?: boolean;
  /** True: heard twice it would mean something else. Else it is sent again if a kept connection broke. */
  readonly once?: boolean;
}

/**
 * A session of a job without a secret. An ID token opens only one, and not every CI gives a second
 * token: so claims of several keys, and looks, are all in it.
 */
export interface JobSession {
  readonly id: string;
  /** Who the server says this job is. */
  readonly owner: string | null;
  /** Seconds that the server keeps it without hearing of it. */
  readonly life: number;
  /** The server's keys that are claimed in it, true: for a run. It would be given them a second time. */
  readonly keys: Map<string, boolean>;
  /** Claims and holdings that are in it. */
  users: number;
  /** By `performance.now`: the server knew it then. */
  provenAt: number;
}

/** One server, as its clients know it: how to ask it, and whether connections to it broke. */
export class LockServer {
  readonly address: Address;
  /** The server's token or, for a server of the protocol's authors, a session's id. */
  readonly secret: string | null;
  /** Whether it has lines and fences; null: not yet known. */
  isOurs: boolean | null = null;
  /** It has shown that it knows weights, priorities, names of slots and claims that are not ready. */
  heeds = false;
  /** Proves who this job is, in place of the secret; null: it cannot, or there is a secret. */
  readonly askIdToken: AskIdToken | null;
  /** The session that this job's ID token has opened, for all that it asks; null: there is none. */
  job: JobSession | null = null;
  /** A session that is being opened with an ID token: whoever needs one meanwhile waits for it. */
  opening: Promise<unknown> | null = null;
  /** Nothing new is asked for: the session of the job ends with the last claim in it. */
  isClosed = false;
  readonly #exchange: Exchange;
  readonly #env: Variables;
  readonly #proxy: ProxyFacts | null;
  readonly #known = new WeakSet<Socket>();
  /** Connections that this side closed: their end tells nothing about the server. */
  readonly #dismissed = new WeakSet<Socket>();
  readonly #watchers = new Set<() => void>();

  constructor(address: Address, options: StoreOptions) {
    this.address = address;
    this.secret = checkSecret(options.token);
    const env = options.variables ?? process.env;
    this.#env = env;
    this.askIdToken = this.secret === null ? idTokensFor(address, options, env) : null;
    // An ID token goes to loopback in the open, and no proxy may be on that way.
    const isDirect = this.askIdToken !== null && !address.secure;
    const settings = isDirect ? withoutProxy(options) : options;
    this.#exchange = new Exchange(address, settings, { keepAliveMsecs: KEEP_ALIVE_MS });
    this.#proxy = isDirect ? null : proxyOf(address, env);
  }

  /** Any answer, whatever its status. Throws if there is none. */
  async ask(question: Question): Promise<Answer> {
    let { path } = question;
    for (let hops = 0; ; hops++) {
      const answer = await this.#send(path, question);
      if (answer.status < 300 || answer.status >= 400) return answer;
      const next = this.#pathFrom(answer, path);
      if (next === null || (question.method ?? "GET") !== "GET" || hops >= REDIRECTS_LIMIT) {
        throw redirected(this.address, answer);
      }
      path = next;
    }
  }

  /** What an answer means that has no meaning of its own for the question. */
  refusal(answer: Answer): LockError {
    return refusal(this.address, answer, this.secret, this.#env);
  }

  /** Called when the other side closed a connection: it may have been stopped. Returns the end of it. */
  watch(onCut: () => void): () => void {
    this.#watchers.add(onCut);
    return () => this.#watchers.delete(onCut);
  }

  /** Closes idle connections. They may be dead without a sign: the next question gets a new connection. */
  async dropIdle(): Promise<void> {
    for (const socket of await this.#exchange.idle()) {
      this.#dismissed.add(socket);
      socket.destroy();
    }
  }

  async #send(path: string, question: Question): Promise<Answer> {
    const { host, port } = this.address;
    const { method = "GET", body, signal, background = false, bytesLimit } = question;
    const patience = Math.max(1, question.patience ?? ANSWER_MS);
    const content = body === undefined ? "" : JSON.stringify(body);
    let latest: ClientRequest | undefined;
    const sending: Sending = {
      ...{ host, port, path, method, patience, signal },
      headers: headersOf(question, content),
      body: Buffer.from(content),
      isRepeatable: question.once !== true,
      isBackground: background,
      onRequest: (request) => {
        latest = request;
        request.on("socket", (socket) => this.#know(socket, background));
        request.on("response", ({ headers, socket }) => {
          // An end that was announced tells nothing about the server.
          if (headers.connection === "close") this.#dismissed.add(socket);
        });
      },
    };
    try {
      return readAnswer(await this.#exchange.ask(sending, bytesLimit ?? ANSWER_BYTES_LIMIT));
    } catch (error) {
      // All other failures are of the connection itself.
      const isOurs = !(error instanceof NoAnswer) || error.how !== "failed";
      if (isOurs && latest?.socket) this.#dismissed.add(latest.socket);
      if (signal?.aborted) throw aborted();
      if (!(error instanceof NoAnswer)) throw error;
      throw explainNoAnswer(this.address, this.#proxy, error, patience);
    }
  }

  #know(socket: Socket, background: boolean): void {
    if (background) socket.unref();
    if (this.#known.has(socket)) return;
    this.#known.add(socket);
    // The agent's own timer for idle connections, if the server told it one.
    socket.once("timeout", () => this.#dismissed.add(socket));
    socket.once("close", () => {
      if (!this.#dismissed.has(socket)) for (const onCut of this.#watchers) onCut();
    });
  }

  /** Where a redirect leads on the same server, or null. */
  #pathFrom({ location }: Answer, from: string): string | null {
    if (location === null || !URL.canParse(location, this.address.origin + from)) return null;
    const target = new URL(location, this.address.origin + from);
    return maySendSecret(target.origin, this.address.origin)
      ? target.pathname + target.search
      : null;
  }
}

function headersOf({ bearer, holdToken }: Question, content: string): Record<string, string> {
  return {
    accept: "application/json",
    ...(holdToken === undefined ? {} : { "holdfast-token": holdToken }),
    ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
    ...(content === ""
      ? {}
      : {
          "content-type": "application/json",
          "content-length": String(Buffer.byteLength(content)),
        }),
  };
}

/** A secret from a file often ends in a newline. Anything else that no header can carry is an error. */
function checkSecret(token: string | undefined): string | null {
  const secret = token?.trim() ?? "";
  if (secret === "") return null;
  if (/^[\x21-\x7e]+$/.test(secret)) return secret;
  throw new LockError(
    "BAD_OPTION",
    "The token holds characters that cannot be sent: use printable ASCII characters without spaces.",
  );
}
