import { readFileSync } from "node:fs";
import type { Agent, IncomingMessage } from "node:http";

/** What a forge's API said: JSON and the time by its own clock. */
export interface ForgeAnswer {
  readonly body: Readonly<Record<string, unknown>>;
  /** Milliseconds since 1970, by the answer's own Date header. */
  readonly now: number;
}

export interface ForgeOptions {
  /** Sent to this API alone, and never shown. */
  readonly token: string | null;
  /** A file of certificates to trust besides the system's. */
  readonly caFile?: string | undefined;
  /** For its proxy. Default: the process's own. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/** How long a request may take: the next look comes in half a minute. */
const ANSWER_MS = 10_000;
/** How long the forge is left alone after it did not answer. */
const SILENT_MS = 20_000;
/** A hundred jobs with all their steps are a few hundred kB. */
const ANSWER_BYTES_LIMIT = 4 * 1024 * 1024;
const REMEMBERED_LIMIT = 200;
/** How long to back off from a forge that is rate-limiting requests without a `Retry-After`. */
const QUIET_MS = 60_000;
const QUIET_LIMIT_MS = 3_600_000;

interface Remembered {
  readonly tag: string;
  readonly body: ForgeAnswer["body"];
}

/**
 * Reads from a forge's REST API. Every request is conditional, since an answer that has not changed
 * does not count against the 1,000 requests an hour of a job's token.
 */
export class Forge {
  readonly #api: string;
  readonly #options: ForgeOptions;
  readonly #remembered = new Map<string, Remembered>();
  #agent: Promise<Wire> | null = null;
  /** By the monotonic clock: until then no request is sent. */
  #quietUntil = 0;

  constructor(api: string, options: ForgeOptions) {
    this.#api = api;
    this.#options = options;
  }

  /** Null: the forge does not say, for whatever reason. It never throws. */
  async ask(path: string, signal: AbortSignal): Promise<ForgeAnswer | null> {
    if (signal.aborted || performance.now() < this.#quietUntil) return null;
    const late = AbortSignal.timeout(ANSWER_MS);
    try {
      return await this.#get(path, AbortSignal.any([signal, late]));
    } catch {
      // The next question would wait as long, and a look has several.
      if (late.aborted) this.#quietUntil = performance.now() + SILENT_MS;
      return null;
    }
  }

  async close(): Promise<void> {
    const wire = await this.#agent?.catch(() => null);
    wire?.agent.destroy();
  }

  async #get(path: string, signal: AbortSignal): Promise<ForgeAnswer | null> {
    const known = this.#remembered.get(path);
    const response = await this.#send(path, known?.tag, signal);
    const { statusCode = 0, headers } = response;
    const bytes = await collect(response);
    const now = Date.parse(headers.date ?? "");
    if (statusCode === 429 || statusCode === 403) this.#beQuiet(response);
    if (Number.isNaN(now)) return null;
    if (statusCode === 304 && known !== undefined) return { body: known.body, now };
    if (statusCode !== 200) return null;
    const body = JSON.parse(bytes.toString("utf8"));
    if (typeof body !== "object" || body === null) return null;
    if (headers.etag !== undefined) this.#remember(path, { tag: headers.etag, body });
    return { body, now };
  }

  async #send(
    path: string,
    tag: string | undefined,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    const { token } = this.#options;
    this.#agent ??= openWire(this.#api, this.#options);
    const { agent, request: open } = await this.#agent;
    return new Promise((resolve, reject) => {
      const request = open(this.#api + path, {
        agent,
        headers: {
          accept: "application/json",
          "user-agent": "holdfast",
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
          ...(tag === undefined ? {} : { "if-none-match": tag }),
        },
        signal,
      });
      request.on("error", reject).on("response", resolve).end();
    });
  }

  /** A 403 without such a header is about rights, and says nothing about the next request. */
  #beQuiet({ statusCode, headers }: IncomingMessage): void {
    const asked = Number(headers["retry-after"] ?? Number.NaN) * 1_000;
    const reset = Number(headers["x-ratelimit-reset"] ?? Number.NaN) * 1_000;
    const isSpent = headers["x-ratelimit-remaining"] === "0";
    if (statusCode === 403 && Number.isNaN(asked) && !isSpent) return;
    const rest = reset - Date.parse(headers.date ?? "");
    const wait = Number.isNaN(asked) ? (isSpent && !Number.isNaN(rest) ? rest : QUIET_MS) : asked;
    this.#quietUntil = performance.now() + Math.min(QUIET_LIMIT_MS, Math.max(0, wait));
  }

  #remember(path: string, answer: Remembered): void {
    if (this.#remembered.size >= REMEMBERED_LIMIT) this.#remembered.clear();
    this.#remembered.set(path, answer);
  }
}

interface Wire {
  readonly agent: Agent;
  readonly request: typeof import("node:http").request;
}

async function openWire(api: string, { caFile, env = process.env }: ForgeOptions): Promise<Wire> {
  const shared = { keepAlive: true, proxyEnv: env };
  if (api.startsWith("http:")) {
    const { Agent, request } = await import("node:http");
    return { agent: new Agent(shared), request };
  }
  const { Agent, request } = await import("node:https");
  const ca = caFile
    ? {
        ca: [
          ...(await import("node:tls")).getCACertificates("default"),
          readFileSync(caFile, "utf8"),
        ],
      }
    : undefined;
  return { agent: new Agent({ ...shared, ...ca }), request };
}

async function collect(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > ANSWER_BYTES_LIMIT) throw new Error("an answer without end");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
