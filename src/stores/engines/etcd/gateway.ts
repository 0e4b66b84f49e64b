import { setTimeout as delay } from "node:timers/promises";
import { isLockError, LockError } from "../../../lock/errors.ts";
import type { StoreOptions } from "../../options.ts";
import type { ServerClock } from "../../remote/server-clock.ts";
import type { CallOptions } from "../register.ts";
import { AnswerLost } from "../trouble.ts";
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
import { isAnswer } from "./txn.ts";

/** A question to etcd, and how it may be asked. */
export interface Question {
  readonly path: string;
  readonly body: unknown;
  /** It changes something that must not change twice: where its answer is lost, nobody asks again. */
  readonly once?: boolean;
  /** Milliseconds for the endpoint that is asked first, before the others are asked too. Default: ANSWER_MS. */
  readonly patience?: number;
}

/** A question on its way to one endpoint or several. */
interface Asking {
  readonly question: Question;
  readonly token: string | null;
  readonly signal: AbortSignal;
  /** Why those that were asked have not answered. */
  readonly failures: LockError[];
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
 * etcd's JSON gateway: asks the endpoint that answered last, then all others at once, and logs in
 * where a user is named.
 */
export class Gateway {
  readonly address: EtcdAddress;
  readonly #credentials: Credentials | null;
  readonly #transport: Transport;
  /** The endpoint that is asked first: the one that answered last. */
  #first: Endpoint;
  /** What logging in gave; null: nobody has asked yet, or it has run out. */
  #login: Promise<string | null> | null = null;

  constructor(address: EtcdAddress, options: StoreOptions) {
    this.address = address;
    this.#first = address.endpoints[0] as Endpoint;
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
    const endpoint = this.#first;
    const headers = { ...authorization(token), ...NEEDS_LEADER };
    const post = { endpoint, path, body, headers, patience: ANSWER_MS, signal };
    try {
      for await (const reply of this.#transport.stream(post)) yield this.#contentOf(reply);
    } catch (error) {
      if (error instanceof Refused && isTokenOld(error.refusal)) this.#login = null;
      throw error;
    } finally {
      if (!signal.aborted) this.#moveOn(endpoint);
    }
  }

  get clock(): ServerClock {
    return this.#transport.clock;
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  /** An endpoint has failed: where it is asked first, the next one is from now on. */
  #moveOn(failed: Endpoint): void {
    const { endpoints } = this.address;
    if (this.#first !== failed) return;
    this.#first = endpoints[(endpoints.indexOf(failed) + 1) % endpoints.length] as Endpoint;
  }

  /**
   * Asks the first endpoint; where that fails or takes long, all others as well, and the first answer
   * counts. What must not be done twice is asked of one after the other, for as long as nothing was sent.
   */
  async #askAny(
    question: Question,
    token: string | null,
    signal: AbortSignal | undefined,
  ): Promise<unknown> {
    const { once = false, patience = ANSWER_MS } = question;
    const first = this.#first;
    const others = this.address.endpoints.filter((each) => each !== first);
    const answered = new AbortController();
    const signals = [answered.signal, ...(signal === undefined ? [] : [signal])];
    const asking: Asking = { question, token, signal: AbortSignal.any(signals), failures: [] };
    let attempt = this.#attempt(first, asking);
    try {
      if (once) {
        for (const each of others) attempt = attempt.catch(() => this.#attempt(each, asking));
        return (await attempt)();
      }
      const late = delay(patience, false, { signal: asking.signal }).catch(() => false);
      const isAnswered = attempt.then(
        () => true,
        () => false,
      );
      if (await Promise.race([isAnswered, late])) return (await attempt)();
      signal?.throwIfAborted();
      const rest = others.map((each) => this.#attempt(each, asking));
      return (await Promise.any([attempt, ...rest]))();
    } catch (error) {
      signal?.throwIfAborted();
      const isSilence = asking.failures.length === this.address.endpoints.length;
      throw isSilence ? allSilent(this.address, asking.failures) : error;
    } finally {
      answered.abort();
    }
  }

  /** Gives what there is to return or to throw. Rejects where another endpoint may do better. */
  async #attempt(
    endpoint: Endpoint,
    { question, token, signal, failures }: Asking,
  ): Promise<() => unknown> {
    try {
      const answer = await this.#askOne(endpoint, question, token, signal);
      this.#first = endpoint;
      return () => answer;
    } catch (error) {
      if (signal.aborted) throw error;
      const lost = lostAnswer(error);
      const isFinal =
        lost === null ? !isLockError(error) || error instanceof Refused : question.once;
      if (lost !== null || !isFinal) this.#moveOn(endpoint);
      if (isFinal)
        return () => {
          throw lost ?? error;
        };
      failures.push(lost?.why ?? (error as LockError));
      throw error;
    }
  }

  async #askOne(
    endpoint: Endpoint,
    { path, body, once = false }: Question,
    token: string | null,
    signal: AbortSignal,
  ): Promise<unknown> {
    const headers = authorization(token);
    const post = { endpoint, path, body, headers, patience: ANSWER_MS, signal };
    const reply = await this.#transport.post(post).catch((error) => {
      // A kept connection may have been closed meanwhile: what may be asked twice is asked on another.
      if (!once && error instanceof AnswerLost && error.isStale) return this.#transport.post(post);
      throw error;
    });
    return this.#contentOf(reply);
  }

  #contentOf({ status, text }: Reply): unknown {
    if (status === 200) {
      const answer = parsed(text);
      if (isAnswer(answer)) return answer;
      throw new AnswerLost(notEtcd(this.address, status, this.#cleaned(text)));
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

/** Undefined where it is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
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
