import { isLockError, LockError } from "../../../lock/errors.ts";
import type { StoreOptions } from "../../options.ts";
import type { ServerClock } from "../../remote/server-clock.ts";
import { AnswerLost } from "../engine/trouble.ts";
import type { CallOptions } from "../register.ts";
import type { Endpoint, EtcdAddress } from "./address.ts";
import { type Credentials, credentialsOf, withoutSecrets } from "./credentials.ts";
import {
  allSilent,
  explainRefusal,
  isPassing,
  isTokenOld,
  isWithoutAuth,
  notEtcd,
  type Refusal,
  readRefusal,
} from "./explain.ts";
import { type Reply, Transport } from "./transport.ts";

/** A question to etcd, and how it may be asked. */
export interface Question {
  readonly path: string;
  readonly body: unknown;
  /** It changes something that must not change twice: where its answer is lost, nobody asks again. */
  readonly once?: boolean;
  /** Milliseconds for one endpoint. Default: ANSWER_MS. */
  readonly patience?: number;
}

/** etcd understood, and says no. */
export class Refused extends LockError {
  readonly refusal: Refusal;

  constructor(refusal: Refusal, { code, message }: LockError) {
    super(code, message);
    this.refusal = refusal;
  }
}

/**
 * An answer takes milliseconds. Where the leader is gone, or most members, etcd itself answers only
 * after seven seconds: another endpoint is asked before.
 */
export const ANSWER_MS = 2_500;
/** gRPC's own name for it: a member that knows of no leader refuses, and does not stay silent. */
const NEEDS_LEADER = { "grpc-metadata-hasleader": "true" };

/**
 * etcd's JSON gateway: asks the endpoint that answered last, then the others, and logs in where a
 * user is named.
 */
export class Gateway {
  readonly address: EtcdAddress;
  readonly #credentials: Credentials | null;
  readonly #transport: Transport;
  /** The endpoint that is asked first. */
  #first = 0;
  /** What logging in gave; null: nobody has asked yet, or it has run out. */
  #login: Promise<string | null> | null = null;

  constructor(address: EtcdAddress, options: StoreOptions) {
    this.address = address;
    this.#credentials = credentialsOf(address, options);
    this.#transport = new Transport(address, options);
  }

  /**
   * Throws AnswerLost only where the question is to be asked once and may have been carried out, and
   * else a LockError: Refused where it is etcd that says no.
   */
  async ask<T>(question: Question, { signal }: CallOptions = {}): Promise<T> {
    for (let tries = 0; ; tries++) {
      const token = await this.#token(signal);
      try {
        return (await this.#askAny(question, token, signal)) as T;
      } catch (error) {
        const isOld = error instanceof Refused && token !== null && isTokenOld(error.refusal);
        if (!isOld || tries > 0) throw error;
        this.#login = null;
      }
    }
  }

  /** The messages of a stream, from one endpoint. It ends where that one fails, whatever the reason. */
  async *stream(path: string, body: unknown, signal: AbortSignal): AsyncGenerator<unknown> {
    const token = await this.#token(signal);
    const endpoint = this.#endpoint(0);
    const headers = { ...authorization(token), ...NEEDS_LEADER };
    const post = { endpoint, path, body, headers, patience: ANSWER_MS, signal };
    try {
      for await (const reply of this.#transport.stream(post)) yield this.#contentOf(reply);
    } catch (error) {
      if (error instanceof Refused && isTokenOld(error.refusal)) this.#login = null;
      throw error;
    }
  }

  /** The endpoint that is asked first does not do what it should: the next one is. */
  moveOn(): void {
    this.#first = (this.#first + 1) % this.address.endpoints.length;
  }

  get clock(): ServerClock {
    return this.#transport.clock;
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  #endpoint(offset: number): Endpoint {
    const { endpoints } = this.address;
    return endpoints[(this.#first + offset) % endpoints.length] as Endpoint;
  }

  async #askAny(
    question: Question,
    token: string | null,
    signal: AbortSignal | undefined,
  ): Promise<unknown> {
    const failures: LockError[] = [];
    for (let count = this.address.endpoints.length; count > 0; count--) {
      try {
        return await this.#askOne(question, token, signal);
      } catch (error) {
        if (signal?.aborted) throw error;
        const lost = lostAnswer(error);
        if (lost === null && (!isLockError(error) || error instanceof Refused)) throw error;
        this.moveOn();
        if (lost !== null && question.once) throw lost;
        failures.push(lost?.why ?? (error as LockError));
      }
    }
    throw allSilent(this.address, failures);
  }

  async #askOne(
    { path, body, once = false, patience = ANSWER_MS }: Question,
    token: string | null,
    signal: AbortSignal | undefined,
  ): Promise<unknown> {
    const endpoint = this.#endpoint(0);
    const post = { endpoint, path, body, headers: authorization(token), patience, signal };
    const reply = await this.#transport.post(post).catch((error) => {
      // A kept connection may have been closed meanwhile: what may be asked twice is asked on another.
      if (!once && error instanceof AnswerLost && error.isStale) return this.#transport.post(post);
      throw error;
    });
    return this.#contentOf(reply);
  }

  #contentOf({ status, text }: Reply): unknown {
    if (status === 200) {
      try {
        return JSON.parse(text);
      } catch {
        throw new AnswerLost(notEtcd(this.address, status, this.#cleaned(text)));
      }
    }
    const refusal = readRefusal(status, text);
    if (refusal === null) {
      const error = notEtcd(this.address, status, this.#cleaned(text));
      if (status < 500) throw error;
      // What stands before etcd may say so of an etcd that is away, or too slow.
      throw new AnswerLost(new LockError("STORE_UNREACHABLE", error.message));
    }
    const cleaned = { ...refusal, words: this.#cleaned(refusal.words) };
    const user = this.#credentials?.name ?? null;
    throw new Refused(refusal, explainRefusal(cleaned, this.address, user));
  }

  #cleaned(text: string): string {
    return withoutSecrets(text, this.#credentials);
  }

  /** Null: etcd is asked as nobody in particular. One login serves all who ask meanwhile. */
  #token(signal: AbortSignal | undefined): Promise<string | null> {
    if (this.#credentials === null) return Promise.resolve(null);
    this.#login ??= this.#logIn(this.#credentials).catch((error) => {
      this.#login = null;
      throw error;
    });
    return orAborted(this.#login, signal);
  }

  async #logIn({ name, password }: Credentials): Promise<string | null> {
    const question = { path: "/v3/auth/authenticate", body: { name, password } };
    try {
      const answer = (await this.#askAny(question, null, undefined)) as { token?: unknown };
      return typeof answer.token === "string" ? answer.token : null;
    } catch (error) {
      if (error instanceof Refused && isWithoutAuth(error.refusal)) return null;
      throw error;
    }
  }
}

/** What may have been carried out all the same, or may be answered by another member; else null. */
function lostAnswer(error: unknown): AnswerLost | null {
  if (error instanceof AnswerLost) return error;
  return error instanceof Refused && isPassing(error.refusal) ? new AnswerLost(error) : null;
}

/** The outcome of a work that others wait for as well, or the signal's reason. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const cancel = () => reject(signal.reason);
    signal.addEventListener("abort", cancel, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", cancel));
  });
}

function authorization(token: string | null): Record<string, string> {
  return token === null ? {} : { authorization: token };
}
