import { setTimeout as delay } from "node:timers/promises";
import { isLockError, LockError } from "../../../lock/errors.ts";
import { jsonIn } from "../../../lock/text.ts";
import type { StoreOptions } from "../../options.ts";
import { type BegunAnswer, Exchange, type Sending } from "../../remote/exchange.ts";
import { AnswerLost, explainNoAnswer, unanswered, unreachable } from "../../remote/trouble.ts";
import { type Credentials, withoutSecrets } from "../credentials.ts";
import type { CallOptions } from "../register.ts";
import { orAborted } from "../waits.ts";
import { type Endpoint, type EtcdAddress, loginOf } from "./address.ts";
import {
  allSilent,
  explainRefusal,
  isPassing,
  isTokenOld,
  isWithoutAuth,
  notEtcd,
  type Refusal,
  readRefusal,
} from "./refusal.ts";
import { isAnswer } from "./requests.ts";

/** A question to etcd, and how it may be asked. */
export interface Question {
  readonly path: string;
  readonly body: unknown;
  /** It changes something that must not change twice. If its answer is lost, it is not asked again. */
  readonly once?: boolean;
  /** Milliseconds that the first endpoint has before the others are asked too. Default: ANSWER_MS. */
  readonly patience?: number;
}

/** A question on its way to one endpoint or several. */
interface Asking {
  readonly question: Question;
  readonly token: string | null;
  readonly signal: AbortSignal;
  /** Why the endpoints that were asked have not answered. */
  readonly failures: LockError[];
}

/** How one endpoint is asked. */
interface Manner extends Pick<Sending, "isRepeatable" | "headers"> {
  readonly token: string | null;
  readonly signal: AbortSignal;
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
 * An answer takes milliseconds. Without a leader, or without most members, etcd itself answers only after seven
 * seconds: another endpoint is asked before.
 */
export const ANSWER_MS = 2_500;
/** Longer than any answer of this store, and shorter than gateways keep silent connections. */
const IDLE_MS = 15_000;
/** A document and its frame in base64, or a list of many keys. */
const ANSWER_BYTES_LIMIT = 32 * 1024 * 1024;
/** How soon a half-open connection of a watch is noticed. */
const PROBE_MS = 5_000;
/** gRPC's own name for a header: a member that knows of no leader then refuses, in place of staying silent. */
const NEEDS_LEADER = { "grpc-metadata-hasleader": "true" };

/**
 * etcd's JSON gateway: asks the endpoint that answered last, then all others at once, and logs in
 * where a user is named.
 */
export class Gateway {
  readonly address: EtcdAddress;
  readonly #credentials: Credentials | null;
  readonly #exchange: Exchange;
  #isClosed = false;
  /** The endpoint that is asked first: the one that answered last. */
  #first: Endpoint;
  /** What logging in gave; null: nobody has asked yet, or it has expired. */
  #login: Promise<string | null> | null = null;

  constructor(address: EtcdAddress, options: StoreOptions) {
    this.address = address;
    this.#first = address.endpoints[0] as Endpoint;
    this.#credentials = loginOf(address, options);
    this.#exchange = new Exchange(this.#first, options, { timeout: IDLE_MS });
  }

  /**
   * Throws AnswerLost only if the question must not be asked twice and may have been carried out. Else throws a
   * LockError: Refused if etcd itself says no.
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

  /** The messages of a stream from one endpoint. The stream ends if that endpoint fails, whatever the reason. */
  async *stream(path: string, body: unknown, signal: AbortSignal): AsyncGenerator<unknown> {
    const token = await this.#token(signal);
    const endpoint = this.#first;
    const sending = this.#sending(endpoint, path, body, { token, signal, headers: NEEDS_LEADER });
    try {
      const begun = this.#exchange.begin(sending).catch((error) => {
        throw this.#explained(error, endpoint);
      });
      for await (const { status, text } of linesOf(await begun))
        yield this.#contentOf(status, text);
    } catch (error) {
      if (error instanceof Refused && isTokenOld(error.refusal)) this.#login = null;
      throw error;
    } finally {
      if (!signal.aborted) this.#moveOn(endpoint);
    }
  }

  get clock() {
    return this.#exchange.clock;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#exchange.close();
  }

  /** An endpoint has failed. If it is the one that is asked first, the next one is from now on. */
  #moveOn(failed: Endpoint): void {
    const { endpoints } = this.address;
    if (this.#first !== failed) return;
    this.#first = endpoints[(endpoints.indexOf(failed) + 1) % endpoints.length] as Endpoint;
  }

  /**
   * Asks the first endpoint. If it fails or takes long, asks all others as well, and the first answer counts. A
   * question that must not be carried out twice goes to one after the other, as long as nothing was sent.
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

  /** Gives what is to be returned or thrown. Rejects if another endpoint may do better. */
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
    const isRepeatable = !once;
    const sending = this.#sending(endpoint, path, body, { token, signal, isRepeatable });
    const { status, bytes } = await this.#exchange
      .ask(sending, ANSWER_BYTES_LIMIT)
      .catch((error) => {
        throw this.#explained(error, endpoint);
      });
    return this.#contentOf(status, bytes.toString("utf8"));
  }

  #sending({ host, port }: Endpoint, path: string, body: unknown, manner: Manner): Sending {
    if (this.#isClosed) throw unreachable(this.address, "was closed here");
    const { token, headers, ...rest } = manner;
    const bytes = Buffer.from(JSON.stringify(body));
    const all = {
      "content-type": "application/json",
      "content-length": String(bytes.length),
      ...(token === null ? {} : { authorization: token }),
      ...headers,
    };
    const sending = { host, port, path, method: "POST", headers: all, body: bytes };
    return { ...sending, patience: ANSWER_MS, ...rest };
  }

  #explained(error: unknown, endpoint: Endpoint): unknown {
    return unanswered(error, (none) => explainNoAnswer(endpoint, null, none, ANSWER_MS));
  }

  #contentOf(status: number, text: string): unknown {
    if (status === 200) {
      const answer = jsonIn(text);
      if (isAnswer(answer)) return answer;
      throw new AnswerLost(notEtcd(this.address, status, this.#cleaned(text)));
    }
    const refusal = readRefusal(status, text);
    if (refusal === null) {
      const error = notEtcd(this.address, status, this.#cleaned(text));
      if (status < 500) throw error;
      // A proxy in front of etcd may say this about an etcd that is away or too slow.
      throw new AnswerLost(new LockError("STORE_UNREACHABLE", error.message));
    }
    const cleaned = { ...refusal, words: this.#cleaned(refusal.words) };
    const user = this.#credentials?.user ?? null;
    throw new Refused(refusal, explainRefusal(cleaned, this.address, user));
  }

  #cleaned(text: string): string {
    return this.#credentials === null ? text : withoutSecrets(text, this.#credentials);
  }

  /** The token of the user; null: etcd is asked without one. One login serves all who ask meanwhile. */
  #token(signal: AbortSignal | undefined): Promise<string | null> {
    if (this.#credentials === null) return Promise.resolve(null);
    this.#login ??= this.#logIn(this.#credentials).catch((error) => {
      this.#login = null;
      throw error;
    });
    return orAborted(this.#login, signal);
  }

  async #logIn({ user: name, password }: Credentials): Promise<string | null> {
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

/** An error after which the question may have been carried out, or another member may answer it; else null. */
function lostAnswer(error: unknown): AnswerLost | null {
  if (error instanceof AnswerLost) return error;
  return error instanceof Refused && isPassing(error.refusal) ? new AnswerLost(error) : null;
}

/** The lines of a stream as they come, until it ends, fails or its signal fires. */
async function* linesOf({ response, release, arrived }: BegunAnswer) {
  arrived();
  response.socket.setKeepAlive(true, PROBE_MS);
  const status = response.statusCode ?? 0;
  let rest = "";
  try {
    response.setEncoding("utf8");
    for await (const chunk of response as AsyncIterable<string>) {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      for (const text of lines) yield { status, text };
    }
    if (rest !== "") yield { status, text: rest };
  } finally {
    release();
    response.destroy();
  }
}
