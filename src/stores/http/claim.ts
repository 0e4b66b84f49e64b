import { setTimeout as delay } from "node:timers/promises";
import { isLockError, LockError, superseded } from "../../lock/errors.ts";
import {
  type CheckedRequest,
  heavierThanRun,
  resourcesMismatch,
  slotsMismatch,
} from "../../lock/request.ts";
import { isSameResources } from "../../lock/resources.ts";
import type { KeyStatus } from "../../lock/status.ts";
import type { ClaimOptions, Holding } from "../../lock/store.ts";
import { quote } from "../../lock/text.ts";
import { EXPLAIN_MS, REJOIN_LIMIT_MS, REJOIN_MS, RemoteClaim, type Turn } from "../remote/claim.ts";
import {
  cleanIn,
  countIn,
  type Fields,
  namesIn,
  slotsIn,
  textIn,
  timeIn,
} from "../remote/fields.ts";
import { leaseSecondsOf } from "../remote/lease-clock.ts";
import { unreachable } from "../remote/trouble.ts";
import { inspectKey } from "./admin.ts";
import type { Answer } from "./answer.ts";
import { ANSWER_MS, type LockServer } from "./client.ts";
import { speaksOtherwise } from "./errors.ts";
import { confirmOwn, refuseIgnored, refuseOwned, refuseTerms } from "./foreign.ts";
import { HttpHolding } from "./holding/holding.ts";
import { HttpRunHolding, runToken } from "./holding/run.ts";
import { ignoredIn, laterWordsOf } from "./later-words.ts";
import { HttpLookout } from "./lookout.ts";
import { LIFE_LIMIT_S, openSession, type Session, type Terms, termsOf } from "./session.ts";
import { pictureIn } from "./status.ts";

/** A request waits so long, then it is asked again: below what proxies allow, some of them 30 s. */
const WAIT_S = 20;
/** A longer pause than this is not made, whoever asks for it: the place in line would be gone. */
const PAUSE_LIMIT_MS = 10_000;
/** A server that knows no line is asked again after this, then less and less often. */
const POLL_MS = 250;
const POLL_LIMIT_MS = 5_000;
/** The first request with words that a server may not know waits no longer than this, to hear whether it does. */
const PROBE_S = 0.05;
/** An answer that took longer came from a server that let the claim wait. */
const AT_ONCE_MS = 500;

export interface ClaimContext {
  readonly server: LockServer;
  readonly store: string;
  readonly serverKey: string;
}

interface Grant {
  readonly session: Session;
  /** By `performance.now`: the lease lasts at least from here. */
  readonly provenAt: number;
  readonly fence: number | null;
  readonly slots: readonly number[];
  readonly resources: readonly string[] | null;
  /** By the server's clock. */
  readonly since: string;
  /** Of a run's hold: its token, and by `performance.now` its end. */
  readonly run: { readonly token: string; readonly boundAt: number } | null;
}

type HttpTurn = Turn<Grant>;

/** A claim at an HTTP server. Each time in line has a session of its own, which then holds the lock. */
export class HttpClaim extends RemoteClaim<Grant> {
  readonly #context: ClaimContext;
  readonly #server: LockServer;
  readonly #leaseSeconds: number;
  readonly #lookout: HttpLookout | null;
  /** To be ended with the claim, unless a holding has it. */
  #session: Session | null = null;
  /** The server may have granted the lock, without an answer that came here. */
  #mayHold = false;
  #isPlaced = false;
  /** The next request is to show whether the server knows all words of this claim. */
  #isProbing = false;
  #failingSince: number | null = null;
  #pollMs = POLL_MS;

  constructor(request: CheckedRequest, options: ClaimOptions, context: ClaimContext) {
    super(request, options);
    this.#context = context;
    this.#server = context.server;
    this.#leaseSeconds = Math.min(LIFE_LIMIT_S, leaseSecondsOf(request));
    const { onProgress } = options;
    this.#lookout = onProgress === undefined ? null : new HttpLookout({ ...context, onProgress });
  }

  protected get shown(): string {
    return this.#server.address.shown;
  }

  protected report(trouble: string): void {
    this.#lookout?.report(trouble);
  }

  /** One session's time in line: it asks again and again, until it is granted or sent away for good. */
  protected async stand(): Promise<HttpTurn> {
    const { signal } = this;
    const { serverKey } = this.#context;
    this.#session = null;
    const session = await openSession(this.#server, this.request, this.#leaseSeconds, { signal });
    if (session.isGiven) await refuseOwned(this.#server, session, serverKey, signal);
    this.#session = session;
    this.knownAs = session.owner;
    this.#isPlaced = this.wasDropped;
    this.#failingSince = null;
    this.#pollMs = POLL_MS;
    this.#isProbing = this.#waits && this.#mayBeIgnored;
    if (this.#waits && !this.#isProbing) this.#lookout?.start(session);
    for (;;) {
      const next = await this.#ask(session);
      if (typeof next !== "number") return next;
      // Claims that were sent away together do not come back together.
      const pause = next * (0.75 + Math.random() / 2);
      if (pause > 0) await delay(pause, undefined, { signal }).catch(() => {});
    }
  }

  protected hold({ session, provenAt, run, ...held }: Grant): Holding {
    const { ttl, refresh, grace, deadAfter } = this.request;
    const { server, store, serverKey } = this.#context;
    if (run !== null && this.request.run !== null) {
      const token = runToken(run.token);
      const lease = this.leaseOf({ ...held, store, token });
      const { id } = this.request.run;
      const { boundAt } = run;
      return new HttpRunHolding({
        server,
        serverKey,
        lease,
        run: id,
        provenAt,
        boundAt,
        deadAfter,
      });
    }
    this.#session = null;
    return new HttpHolding({
      server,
      session,
      serverKey,
      lease: this.leaseOf({ ...held, store, token: session.id }),
      leaseSeconds: this.#leaseSeconds,
      provenAt,
      grace,
      boundAt: refresh
        ? (run?.boundAt ?? null)
        : Math.min(provenAt + ttl, run?.boundAt ?? Infinity),
    });
  }

  protected look(): Promise<KeyStatus> {
    const { serverKey } = this.#context;
    return inspectKey(this.#context, this.request.key, serverKey, EXPLAIN_MS);
  }

  /** A server that frees nothing with a session has to be told of the lock that it may have granted. */
  protected override async leave(): Promise<void> {
    this.#lookout?.stop();
    const session = this.#session;
    if (session === null) return;
    if (this.#server.isOurs !== true && this.#mayHold) {
      const patience = { patience: EXPLAIN_MS };
      await session.lock("release", this.#context.serverKey, patience).catch(() => {});
    }
    await session.end();
  }

  get #waits(): boolean {
    return this.term.mayWait;
  }

  /** Whether it is still to be heard that the server knows all words of this claim. */
  get #mayBeIgnored(): boolean {
    const words = laterWordsOf(termsOf(this.request, 0, this.term.ready === undefined));
    return words.length > 0 && !this.#server.heeds;
  }

  /** How it ended, or the milliseconds after which to ask again. */
  async #ask(session: Session): Promise<HttpTurn | number> {
    const { signal } = this;
    const { endsAt } = this.term;
    const recall = this.#lookout?.recall();
    const sentAt = performance.now();
    // One second more than wanted: our own deadline decides. But should the server not hear
    // that we leave, it must not keep the place for long.
    const left = endsAt === null ? WAIT_S : Math.ceil((endsAt - sentAt) / 1_000) + 1;
    const longest = this.#isProbing ? PROBE_S : Math.max(1, Math.min(WAIT_S, left));
    const wait = this.#waits ? longest : 0;
    this.#mayHold = true;
    let answer: Answer;
    // One that is not ready asks to keep its place, and asks anew once it is.
    const { isReady, ready } = this.term;
    const terms = {
      ...termsOf(this.request, this.age, isReady),
      ...(this.#waits ? { wait } : {}),
    };
    try {
      const ends = [signal, recall, isReady ? undefined : ready];
      const manner = {
        signal: AbortSignal.any(ends.filter((one) => one !== undefined)),
        patience: wait * 1_000 + ANSWER_MS,
      };
      answer = await session.lock("acquire", this.#context.serverKey, manner, terms);
    } catch (error) {
      if (signal.aborted) throw error;
      // The place is gone, as the lookout saw: it is asked for anew.
      if (recall?.aborted || isReady !== this.term.isReady) return 0;
      if (waited(sentAt)) this.seenInLine();
      // The server was there when it opened the session: it may be back.
      return this.#forgive(error, true);
    }
    try {
      return await this.#hear(answer, sentAt, session, terms);
    } catch (error) {
      if (signal.aborted) throw error;
      const pause = await this.#forgive(error, waited(sentAt));
      return Math.max(Math.min(answer.retryAfter ?? 0, PAUSE_LIMIT_MS), pause);
    }
  }

  async #hear(
    answer: Answer,
    sentAt: number,
    session: Session,
    terms: Terms,
  ): Promise<HttpTurn | number> {
    const { status, body } = answer;
    if (status >= 400 && status < 500) this.#mayHold = false;
    if (status === 200) {
      const grant = await this.#grant(answer, sentAt, session, terms);
      if (grant !== null) return { kind: "granted", grant };
      this.#failingSince = null;
      return POLL_MS;
    }
    if (status === 423 && body !== null) {
      return this.#waits ? this.#wait(body, sentAt, terms, session) : { kind: "timeout" };
    }
    if (status === 409 && body?.error === "Superseded") {
      throw superseded(this.request.key, cleanIn(body, "by") ?? "unknown", cleanIn(body, "url"));
    }
    if (status === 401 && !session.isGiven) {
      const error = unreachable(this.#server.address, "no longer knows this claim");
      if (!this.#waits) throw error;
      return { kind: "dropped", error };
    }
    throw await this.#refusal(answer, session);
  }

  #wait(body: Fields, sentAt: number, terms: Terms, session: Session): number {
    const picture = pictureIn(body);
    this.#failingSince = null;
    if (picture.position === undefined) {
      refuseTerms(this.#server, this.request, laterWordsOf(terms));
      this.#server.isOurs = false;
      this.#lookout?.tellHolders(picture);
      const pause = this.#pollMs;
      this.#pollMs = Math.min(pause * 1.5, POLL_LIMIT_MS);
      return pause;
    }
    const ignored = ignoredIn(body, terms);
    const isOld = this.request.line === "newest" && body.line !== "newest";
    if (isOld || ignored.length > 0)
      refuseTerms(this.#server, { ...this.request, slots: 1 }, ignored);
    this.#isPlaced = true;
    this.#server.isOurs = true;
    this.placed();
    if (this.#isProbing) {
      this.#isProbing = false;
      this.#server.heeds = true;
      this.#lookout?.start(session);
      return 0;
    }
    return waited(sentAt) ? 0 : REJOIN_MS;
  }

  /** A claim that stood in line once does not fail for a server or a network that may come back. */
  async #forgive(error: unknown, stood: boolean): Promise<number> {
    if (this.#lookout?.isPlaced) this.seenInLine();
    this.#isPlaced ||= stood || this.#lookout?.isPlaced === true;
    this.#failingSince ??= performance.now();
    const isPatient = performance.now() - this.#failingSince < REJOIN_LIMIT_MS;
    const mayPass = isLockError(error, "STORE_UNREACHABLE") || isLockError(error, "STORE_FULL");
    if (!this.#waits || !this.#isPlaced || !isPatient || !mayPass) throw error;
    this.report(`${error.message.replace(/\.$/, "")}; asking again`);
    await this.#server.dropIdle();
    return REJOIN_MS;
  }

  /** Null: the server said so, but it is not true, or no longer. */
  async #grant(
    answer: Answer,
    sentAt: number,
    session: Session,
    terms: Terms,
  ): Promise<Grant | null> {
    const { body } = answer;
    const { signal, request } = this;
    const { server, serverKey } = this.#context;
    if (body?.message === undefined) {
      throw speaksOtherwise(server.address, answer, server.secret);
    }
    const fence = countIn(body, "fence");
    let provenAt = sentAt;
    server.isOurs = fence !== null;
    if (fence === null) {
      const lookout = this.#lookout;
      const granted = { server, session, serverKey, request, terms, signal, lookout };
      if (!(await confirmOwn(granted))) return null;
    } else await refuseIgnored({ server, session, serverKey, request, terms }, body);
    const isOld = !this.isFresh(sentAt, this.#leaseSeconds);
    let left = countIn(body, "left");
    while (fence !== null && (isOld || request.run !== null)) {
      // How long ago that was said is not known, if this process was stopped for a while, and the
      // session may be over by now. A refresh is proof; of a run's hold it tells how much is left.
      provenAt = performance.now();
      const whose = request.run === null ? {} : { run: request.run.id };
      const proof = await session.lock("refresh", serverKey, { signal }, whose);
      if (proof.status !== 200 || countIn(proof.body, "fence") !== fence) return null;
      left = countIn(proof.body, "left");
      // A proof that was so long on its way proves nothing about now.
      const isLate = this.isLate(provenAt, this.#leaseSeconds);
      if (!isLate || request.run !== null) break;
    }
    const slots = slotsIn(body, "heldSlots");
    // Only what is the run's may be less than was asked for.
    if (slots.length < request.weight)
      throw heavierThanRun(request.key, slots.length, request.weight);
    const resources = request.resources === null ? null : namesIn(body, "resources");
    if (request.resources !== null && resources === null)
      throw resourcesMismatch(request.key, request.resources, null);
    const since = timeIn(body, "lockedAt") ?? new Date().toISOString();
    const token = textIn(body, "token") ?? "";
    const run = left === null ? null : { token, boundAt: provenAt + left };
    return { session, provenAt, fence, slots, resources, since, run };
  }

  async #refusal(answer: Answer, session: Session): Promise<LockError> {
    if (answer.status !== 409) return this.#server.refusal(answer);
    const { key, slots, resources } = this.request;
    const { body } = await session.lock("status", this.#context.serverKey, {
      signal: this.signal,
    });
    const present = countIn(body, "slots");
    if (present !== null && present !== slots) return slotsMismatch(key, slots, present);
    const names = namesIn(body, "resources");
    if (present !== null && !isSameResources(resources, names))
      return resourcesMismatch(key, resources, names);
    return new LockError(
      "SLOTS_MISMATCH",
      `The lock server ${this.shown} remembers the key ${quote(key)} with another number of slots than ${slots}: use the same number, or wait until it has forgotten it.`,
    );
  }
}

function waited(sentAt: number): boolean {
  return performance.now() - sentAt > AT_ONCE_MS;
}
