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
import { pictureIn, statusOf } from "./status.ts";

/** How long one request waits until it is asked again: less than proxies allow, some of them 30 s. */
const WAIT_S = 20;
/** The longest pause, whoever asks for it: after a longer one the place in line would be gone. */
const PAUSE_LIMIT_MS = 10_000;
/** How soon a server that knows no line is asked again; it is asked less and less often. */
const POLL_MS = 250;
const POLL_LIMIT_MS = 5_000;
/**
 * How long the first request with words that a server may not know waits, to hear whether the server knows them.
 */
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
  /** Of a run's hold: its token and its end, by `performance.now`. */
  readonly run: { readonly token: string; readonly boundAt: number } | null;
}

type HttpTurn = Turn<Grant>;

/** A claim at an HTTP server. Each time in line has a session of its own, which then holds the lock. */
export class HttpClaim extends RemoteClaim<Grant> {
  readonly #context: ClaimContext;
  readonly #server: LockServer;
  readonly #leaseSeconds: number;
  readonly #lookout: HttpLookout | null;
  /** The session to end with the claim, unless a holding has it. */
  #session: Session | null = null;
  /** The server may have granted the lock, but no answer came here. */
  #mayHold = false;
  #isPlaced = false;
  /** The next request is to show whether the server knows all words of this claim. */
  #isProbing = false;
  #failingSince: number | null = null;
  #pollMs = POLL_MS;
  /** Who holds the key, as the refusal of a claim that does not wait says it. */
  #refused: KeyStatus | null = null;

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
    const session = await openSession(
      this.#server,
      this.request,
      this.#leaseSeconds,
      { signal },
      { serverKey, isOfRun: this.request.run !== null },
    );
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
      lease: this.leaseOf({ ...held, store, token: session.token }),
      leaseSeconds: this.#leaseSeconds,
      provenAt,
      grace,
      boundAt: refresh
        ? (run?.boundAt ?? null)
        : Math.min(provenAt + ttl, run?.boundAt ?? Infinity),
    });
  }

  protected async look(): Promise<KeyStatus> {
    const { serverKey } = this.#context;
    try {
      return await inspectKey(this.#context, this.request.key, serverKey, EXPLAIN_MS);
    } catch (error) {
      // One who may claim and not look is told only this.
      if (this.#refused === null || !isLockError(error, "STORE_DENIED")) throw error;
      return this.#refused;
    }
  }

  /** Tells a server that frees nothing with a session about the lock that it may have granted. */
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

  /** Whether the claim still has to hear that the server knows all its words. */
  get #mayBeIgnored(): boolean {
    const words = laterWordsOf(termsOf(this.request, 0, this.term.ready === undefined));
    return words.length > 0 && !this.#server.heeds;
  }

  /** How the time in line ended, or the milliseconds after which to ask again. */
  async #ask(session: Session): Promise<HttpTurn | number> {
    const { signal } = this;
    const { endsAt } = this.term;
    const recall = this.#lookout?.recall();
    const sentAt = performance.now();
    // One second more than wanted: our own deadline decides. But if the server does not hear that we leave, it
    // must not keep the place for long.
    const left = endsAt === null ? WAIT_S : Math.ceil((endsAt - sentAt) / 1_000) + 1;
    const longest = this.#isProbing ? PROBE_S : Math.max(1, Math.min(WAIT_S, left));
    const wait = this.#waits ? longest : 0;
    this.#mayHold = true;
    let answer: Answer;
    // A claim that is not ready asks to keep its place, and asks anew once it is ready.
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
      // The lookout saw that the place is gone: the claim asks for it anew.
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
      if (this.#waits) return this.#wait(body, sentAt, terms, session);
      this.#refused = statusOf(pictureIn(body), this.#context.store, this.request.key);
      return { kind: "timeout" };
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

  /** A claim that has stood in line does not fail because of a server or a network that may come back. */
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

  /** Null: the server said so, but it is not true, or not any more. */
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
      // How long ago that was said is not known, since this process may have been stopped; the session may be
      // over by now. A refresh is proof. For a run's hold it tells how much time is left.
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
