import { formatDuration } from "../../../lock/duration.ts";
import type { LockError } from "../../../lock/errors.ts";
import { retryAfterIn, sleep, Waits } from "../../document/pauses.ts";
import type { StoreOptions } from "../../options.ts";
import type { ServerClock } from "../../remote/server-clock.ts";
import type { CallOptions } from "../register.ts";
import { AnswerLost, unreachable } from "../trouble.ts";
import type { Environment, S3Address } from "./address.ts";
import { type Credentials, credentialsOf, withoutSecrets } from "./credentials.ts";
import { explain, isAbsent, isRace, skewed } from "./refusal.ts";
import type { Unsigned } from "./sign.ts";
import { type Reply, type Request, SKEW_MS, Transport } from "./transport.ts";
import { codeOf } from "./xml.ts";

/** What the environment and tests may set apart from the store's options. */
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
  /** Milliseconds that an answer is waited for. */
  readonly patience?: number;
}

/** An answer that is no failure: `found`, `unchanged` (304), `absent` (404), `no` (412), `race` (409). */
export interface Answer {
  readonly kind: "found" | "unchanged" | "absent" | "no" | "race";
  readonly text: string;
  /** Without the mark of a weak one, which conditions do not take. */
  readonly etag: string | null;
  /** By the server's clock alone: milliseconds since the object was written; null: it does not say. */
  readonly age: number | null;
  /** By the server's clock, in milliseconds. */
  readonly date: number | null;
  /** An earlier try of the same request may have been carried out. */
  readonly isSecond: boolean;
}

/** An answer takes some hundred milliseconds; who needs longer than this is stuck. */
const ANSWER_MS = 10_000;
/** The first wait where the server does not say how long; it doubles. */
const WAIT_DEFAULT_MS = 1_000;
/** A clock may be set again while a request is on its way. */
const CLOCKS_LIMIT = 5;

/** An S3 server: waits where it asks for patience, and knows what its refusals mean. */
export class S3Server {
  readonly address: S3Address;
  readonly #credentials: Credentials;
  readonly #transport: Transport;
  #toldOfClock = false;

  constructor(address: S3Address, options: StoreOptions, { env = process.env }: S3Settings) {
    this.address = address;
    this.#credentials = credentialsOf(address, options, env);
    this.#transport = new Transport(address, this.#credentials, options);
  }

  /** A question whose answer may be lost without harm: whatever fails is a LockError. */
  async ask(question: Question, options: CallOptions = {}): Promise<Answer> {
    try {
      return await this.write(question, options);
    } catch (error) {
      throw error instanceof AnswerLost ? error.why : error;
    }
  }

  /** Throws AnswerLost where it may have been carried out, and a LockError where it was not. */
  async write(question: Question, { signal, onTrouble }: CallOptions = {}): Promise<Answer> {
    const request = { ...this.#request(question), signal };
    const waits = new Waits();
    let isSecond = false;
    for (let tries = 0; ; tries++) {
      const reply = await this.#send(request);
      if (tries < CLOCKS_LIMIT && this.#setClock(reply, onTrouble)) continue;
      const asked = waitAskedFor(reply, tries);
      if (asked === null) return this.#answer(reply, question, isSecond);
      const wait = waits.next(asked);
      if (wait === null) throw this.#askedTooOften(waits.waited);
      // What stands before the server may say 503 of a request that it has passed on; 429 says no.
      if (reply.status >= 500) isSecond = true;
      onTrouble?.(
        `${this.address.called} asks for patience (${reply.status}): trying again in ${formatDuration(wait)}.`,
      );
      await sleep(wait, signal);
    }
  }

  get clock(): ServerClock {
    return this.#transport.clock;
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  #request({ method, name, query = {}, headers = {}, body = "", patience }: Question) {
    const search = new URLSearchParams(query).toString();
    const target = `${this.address.base}${name}${search === "" ? "" : `?${search}`}`;
    return { method, target, headers, body: Buffer.from(body), patience: patience ?? ANSWER_MS };
  }

  async #send(request: Request): Promise<Reply> {
    try {
      return await this.#transport.send(request);
    } catch (error) {
      // The kept connection had been closed meanwhile: a read is sent on another.
      if (request.method === "GET" && error instanceof AnswerLost && error.isStale)
        return this.#transport.send(request);
      throw error;
    }
  }

  /**
   * Signatures hold for some minutes. Where the clocks differ by more, the server's time is signed from
   * now on, since a wrong clock is no reason to lose a lock. False: that is not it, or did not help.
   */
  #setClock({ text, headers, signedAt }: Reply, onTrouble: CallOptions["onTrouble"]): boolean {
    const date = timeOf(headers.date);
    if (codeOf(text) !== "RequestTimeTooSkewed" || date === null) return false;
    if (Math.abs(date - signedAt) < SKEW_MS) return false;
    this.#transport.setClock(date);
    // A clock that was wrong for a moment, or a process that was stopped, is nothing to tell of.
    if (Math.abs(date - Date.now()) >= SKEW_MS && !this.#toldOfClock) {
      this.#toldOfClock = true;
      const { message } = skewed(this.address, date);
      onTrouble?.(`${message.replace(/\.$/, "")}; until then its time is used.`);
    }
    return true;
  }

  #answer(reply: Reply, question: Question, isSecond: boolean): Answer {
    const { status, headers } = reply;
    const text = withoutSecrets(reply.text, this.#credentials);
    const kind = kindOf(status, codeOf(text));
    if (kind !== null) {
      const date = timeOf(headers.date);
      const written = timeOf(headers["last-modified"]);
      const age = date === null || written === null ? null : date - written;
      const etag = headers.etag?.replace(/^W\//, "") || null;
      return { kind, text: reply.text, etag, age, date, isSecond };
    }
    const error = explain({ ...reply, text }, question, this.address);
    throw error.code === "STORE_UNREACHABLE" ? new AnswerLost(error) : error;
  }

  #askedTooOften(waited: number): LockError {
    return unreachable(
      this.address,
      `asks for patience again and again, for ${formatDuration(waited)} by now: try again later, or use a prefix or a bucket of its own`,
    );
  }
}

/** Null: it is a failure. */
function kindOf(status: number, code: string): Answer["kind"] | null {
  if (status === 200 || status === 204) return "found";
  if (status === 304) return "unchanged";
  if (status === 412) return "no";
  if (isAbsent(status, code)) return "absent";
  return isRace(status, code) ? "race" : null;
}

/** Milliseconds; null: it does not ask for patience. */
function waitAskedFor({ status, headers, text }: Reply, tries: number): number | null {
  const asked = retryAfterIn(headers["retry-after"]);
  const isBusy = status === 429 || /^SlowDown|^TooManyRequests$/.test(codeOf(text));
  if (!isBusy && !(status === 503 && asked !== null)) return null;
  return asked ?? WAIT_DEFAULT_MS * 2 ** tries;
}

function timeOf(text: string | undefined): number | null {
  const time = Date.parse(text ?? "");
  return Number.isNaN(time) ? null : time;
}
