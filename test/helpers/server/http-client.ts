import { Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from "node:http";
import { request as requestTls, Agent as TlsAgent } from "node:https";

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever came.
  readonly json: any;
}

export interface Question {
  readonly method?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal;
}

/** Asks with the path exactly as it is given, on connections that are kept alive. */
export class HttpClient {
  readonly port: number;
  readonly #agent: Agent | TlsAgent;
  readonly #ca: string | undefined;
  readonly #headers: OutgoingHttpHeaders;

  constructor(port: number, headers: OutgoingHttpHeaders = {}, ca?: string) {
    this.port = port;
    this.#headers = headers;
    this.#ca = ca;
    this.#agent =
      ca === undefined ? new Agent({ keepAlive: true }) : new TlsAgent({ keepAlive: true, ca });
  }

  /** The same server with further headers, such as those of a session. */
  with(headers: OutgoingHttpHeaders): HttpClient {
    return new HttpClient(this.port, { ...this.#headers, ...headers }, this.#ca);
  }

  ask(path: string, question: Question = {}): Promise<Answer> {
    const send = this.#ca === undefined ? request : requestTls;
    return new Promise((resolve, reject) => {
      const sent = send(
        {
          host: "127.0.0.1",
          port: this.port,
          agent: this.#agent,
          path,
          method: question.method ?? "GET",
          headers: { ...this.#headers, ...question.headers },
          ...(question.signal === undefined ? {} : { signal: question.signal }),
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.on("error", reject);
          response.on("end", () => {
            const text = Buffer.concat(chunks).toString("utf8");
            const { statusCode: status = 0, headers } = response;
            resolve({ status, headers, text, json: parse(text) });
          });
        },
      );
      sent.on("error", reject);
      sent.end(question.body);
    });
  }

  put(path: string, body: string | Uint8Array, headers: OutgoingHttpHeaders = {}): Promise<Answer> {
    return this.ask(path, { method: "PUT", body, headers });
  }

  remove(path: string): Promise<Answer> {
    return this.ask(path, { method: "DELETE" });
  }

  acquire(path: string, terms = ""): Promise<Answer> {
    return this.ask(`${path}?lock=acquire${terms}`);
  }

  release(path: string): Promise<Answer> {
    return this.ask(`${path}?lock=release`);
  }

  refresh(path: string): Promise<Answer> {
    return this.ask(`${path}?lock=refresh`);
  }

  status(path: string): Promise<Answer> {
    return this.ask(`${path}?lock=status`);
  }

  /** Closes the connections that are kept. */
  hangUp(): void {
    this.#agent.destroy();
  }
}

/** A client that has a session. */
export class SessionClient extends HttpClient {
  readonly id: string;
  readonly name: string;

  constructor(port: number, session: { sessionId: string; name: string }, ca?: string) {
    super(port, { authorization: `Bearer ${session.sessionId}` }, ca);
    this.id = session.sessionId;
    this.name = session.name;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
