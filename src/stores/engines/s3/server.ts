import { createHash } from "node:crypto";
import { AwsV4Signer } from "aws4fetch";
import type { LockError } from "../../../lock/errors.ts";
import type { StoreOptions } from "../../options.ts";
import { AnswerLost } from "../../remote/trouble.ts";
import { withoutSecrets } from "../credentials.ts";
import { type Answer as HttpAnswer, HttpServer, type Limits } from "../http.ts";
import type { CallOptions } from "../register.ts";
import { type Environment, loginOf, type S3Address, type S3Login } from "./address.ts";
import { explain, isAbsent, isRace, skewed } from "./refusal.ts";
import { codeOf } from "./xml.ts";

/** What the environment and tests may set besides the store's options. */
export interface S3Settings {
  readonly env?: Environment;
}

/** A question about one object or, with a query, about the bucket. */
export interface Question {
  readonly method: Unsigned["method"];
  /** Of the object; empty for the bucket itself. */
  readonly name: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Milliseconds to wait for the answer. */
  readonly patience?: number;
}

/** An answer that is no failure: `found`, `unchanged` (304), `absent` (404), `no` (412), `race` (409). */
export interface Answer {
  readonly kind: "found" | "unchanged" | "absent" | "no" | "race";
  readonly text: string;
  /** Without the mark of a weak etag, which conditions do not take. */
  readonly etag: string | null;
  /** Milliseconds since the object was written, by the server's clock alone; null: it does not say. */
  readonly age: number | null;
  /** By the server's clock, in milliseconds. */
  readonly date: number | null;
  /** An earlier try of the same request may have been carried out. */
  readonly isSecond: boolean;
}

/** How long an answer may take: usual are some hundred milliseconds, and with more than this it is stuck. */
const ANSWER_MS = 10_000;
/** The most bytes of an answer: a document has 64 KiB at most, and a list of a thousand names some hundred. */
const ANSWER_BYTES_LIMIT = 4 * 1024 * 1024;
/** Shorter than servers keep silent connections: a swap on a dead connection is a lost answer. */
const IDLE_MS = 5_000;
/** Clocks that differ by less count as equal: servers allow a quarter of an hour. */
const SKEW_MS = 5 * 60_000;
/** A clock may be set again while a request is on its way. */
const CLOCKS_LIMIT = 5;

const LIMITS: Limits = {
  asksToWait({ status, bytes }) {
    if (status === 429 || (status >= 400 && BUSY.test(codeOf(bytes.toString("utf8")))))
      return "always";
    return status === 503 ? "if-told" : "no";
  },
  firstWait: 1_000,
  advice: "try again later, or use a prefix or a bucket of its own",
};
const BUSY = /^SlowDown|^TooManyRequests$/;

/** An S3 server: signs the requests, and knows what its refusals mean. */
export class S3Server {
  readonly address: S3Address;
  readonly #login: S3Login;
  readonly #http: HttpServer;
  /** Keys that the signer derives from the secret, a day's worth. */
  readonly #keys = new Map<string, ArrayBuffer>();
  /** Milliseconds that the server's clock is ahead of this machine's, if that is too much for a signature. */
  #ahead = 0;
  #toldOfClock = false;

  constructor(address: S3Address, options: StoreOptions, { env = process.env }: S3Settings) {
    this.address = address;
    this.#login = loginOf(address, options, env);
    this.#http = new HttpServer(address, options, IDLE_MS, LIMITS);
  }

  /** Asks a question whose answer may be lost without harm: every failure is a LockError. */
  async ask(question: Question, options: CallOptions = {}): Promise<Answer> {
    try {
      return await this.write(question, options);
    } catch (error) {
      throw error instanceof AnswerLost ? error.why : error;
    }
  }

  /** Throws AnswerLost if the request may have been carried out, and a LockError if it was not. */
  async write(question: Question, options: CallOptions = {}): Promise<Answer> {
    const { method, name, query = {}, patience = ANSWER_MS } = question;
    const search = new URLSearchParams(query).toString();
    const target = `${this.address.base}${name}${search === "" ? "" : `?${search}`}`;
    const body = Buffer.from(question.body ?? "");
    const unsigned = { method, target, headers: question.headers ?? {}, body };
    let signedAt = 0;
    const request = {
      ...{ method, path: target, body, patience, limit: ANSWER_BYTES_LIMIT },
      isRepeatable: method === "GET",
      headers: async () => {
        signedAt = Date.now() + this.#ahead;
        const signed = await sign(this.address, this.#login, this.#keys, unsigned, signedAt);
        // Servers want it of every PUT, also of an empty one.
        return method === "PUT" ? { ...signed, "content-length": String(body.length) } : signed;
      },
    };
    for (let tries = 0; ; tries++) {
      const answer = await this.#http.ask(request, options);
      const isSet = tries < CLOCKS_LIMIT && this.#setClock(answer, signedAt, options.onTrouble);
      if (!isSet) return this.#answer(answer, question);
    }
  }

  get clock() {
    return this.#http.clock;
  }

  close(): Promise<void> {
    return this.#http.close();
  }

  /**
   * Signatures hold for some minutes. If the clocks differ by more, the server's time is signed from now on,
   * since a wrong clock is no reason to lose a lock. False: the clocks are not the reason, or this did not help.
   */
  #setClock(answer: HttpAnswer, signedAt: number, onTrouble: CallOptions["onTrouble"]): boolean {
    const date = timeOf(answer.headers.date);
    if (codeOf(answer.bytes.toString("utf8")) !== "RequestTimeTooSkewed" || date === null)
      return false;
    if (Math.abs(date - signedAt) < SKEW_MS) return false;
    const ahead = date - Date.now();
    this.#ahead = Math.abs(ahead) < SKEW_MS ? 0 : ahead;
    // A clock that was wrong for a moment, or a process that was stopped, needs no sentence.
    if (this.#ahead !== 0 && !this.#toldOfClock) {
      this.#toldOfClock = true;
      const { message } = skewed(this.address, date);
      onTrouble?.(`${message.replace(/\.$/, "")}; until then its time is used.`);
    }
    return true;
  }

  #answer({ status, headers, bytes, isSecond }: HttpAnswer, question: Question): Answer {
    const text = bytes.toString("utf8");
    const kind = kindOf(status, codeOf(text));
    if (kind !== null) {
      const date = timeOf(headers.date);
      const written = timeOf(headers["last-modified"]);
      const age = date === null || written === null ? null : date - written;
      const etag = headers.etag?.replace(/^W\//, "") || null;
      return { kind, text, etag, age, date, isSecond };
    }
    const reply = { status, headers, text: withoutSecrets(text, this.#login) };
    const error: LockError = explain(reply, question, this.address);
    throw error.code === "STORE_UNREACHABLE" ? new AnswerLost(error) : error;
  }
}

/** Null: the answer is a failure. */
function kindOf(status: number, code: string): Answer["kind"] | null {
  if (status === 200 || status === 204) return "found";
  if (status === 304) return "unchanged";
  if (status === 412) return "no";
  if (isAbsent(status, code)) return "absent";
  return isRace(status, code) ? "race" : null;
}

function timeOf(text: string | undefined): number | null {
  const time = Date.parse(text ?? "");
  return Number.isNaN(time) ? null : time;
}

/** A request before it is signed. */
export interface Unsigned {
  readonly method: "GET" | "PUT" | "DELETE";
  /** Path and query, with nothing in them that needs encoding. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/**
 * Signs a request as Amazon's version 4 says. Conditions such as If-Match are headers and are signed with the
 * rest: so nothing in between can drop one unnoticed.
 *
 * By aws4fetch (1.0.20 of December 2024, MIT, types, no dependencies): of the libraries that were looked at in
 * November 2026 it adds least, 6.2 kB. aws4, by the same author and as old, adds 8.3 kB and has no types;
 * @smithy/signature-v4, the newest and of Amazon's own tools, adds 125 kB with its dependencies. The algorithm
 * has not changed since 2012.
 */
export async function sign(
  { origin, region }: S3Address,
  { accessKeyId, secretAccessKey, sessionToken }: S3Login,
  keys: Map<string, ArrayBuffer>,
  { method, target, headers, body }: Unsigned,
  now: number,
): Promise<Record<string, string>> {
  const signer = new AwsV4Signer({
    accessKeyId,
    secretAccessKey,
    ...(sessionToken === undefined ? {} : { sessionToken }),
    method,
    url: origin + target,
    headers: {
      ...headers,
      // Without it the body would not be signed.
      "x-amz-content-sha256": createHash("sha256").update(body).digest("hex"),
    },
    service: "s3",
    region,
    datetime: new Date(now).toISOString().replace(/[:-]|\.\d{3}/g, ""),
    cache: keys,
  });
  return Object.fromEntries((await signer.sign()).headers);
}
