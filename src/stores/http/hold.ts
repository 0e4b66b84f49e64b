import { formatDuration } from "../../lock/duration.ts";
import { LockError, messageOf } from "../../lock/errors.ts";
import type { Lease } from "../../lock/lease.ts";
import type { Holding, ReleaseOutcome } from "../../lock/store.ts";
import { LeaseClock, type Pace } from "../lease-clock.ts";
import { type Answer, numberIn } from "./answer.ts";
import { letGo } from "./let-go.ts";
import type { LockServer } from "./server.ts";
import type { Session } from "./session.ts";

/** While the server is away. Short, since a server that comes back without memory lets others in. */
const RETRY_MS = 100;
/** A connection that breaks is a reason to ask at once; a proxy that breaks all of them is none. */
const CUT_INTERVAL_MS = 1_000;
/** Timers beyond 2^31 ms fire at once. */
const TIMER_LIMIT_MS = 2 ** 30;
/** So long a server without sessions of ours keeps a lock, whatever we would like. */
const SPEC_LEASE_S = 1_800;

/** A session counts as long as it was asked for: silence alone ends nothing before. */
const HTTP_PACE: Pace = {
  silenceLimit: 10_000,
  serverPatience: Number.POSITIVE_INFINITY,
  giveUpLimit: Number.POSITIVE_INFINITY,
};

export interface Held {
  readonly server: LockServer;
  readonly session: Session;
  readonly serverKey: string;
  readonly lease: Lease;
  /** What the server keeps the session without hearing of it. */
  readonly leaseSeconds: number;
  /** By `performance.now`: the lease lasts at least from here. */
  readonly provenAt: number;
  /** By `performance.now`: where the ttl is a hard bound, its end. */
  readonly boundAt: number | null;
}

/** A held lock. The server's word decides: refreshed is held; not held, or no such session, is lost. */
export class Hold implements Holding {
  readonly lease: Lease;
  readonly #held: Held;
  readonly #loss = new AbortController();
  readonly #over = new AbortController();
  readonly #clock: LeaseClock;
  readonly #unwatch: () => void;
  /** No earlier than this, after a refresh that failed. */
  #retryAt = Number.NEGATIVE_INFINITY;
  #isFailing = false;
  #sentAt: number;
  #trouble: string | null = null;
  #timer: NodeJS.Timeout | undefined;
  #renewals: { from: number; done: PromiseWithResolvers<void> }[] = [];
  #releasing: Promise<ReleaseOutcome> | null = null;
  #released = false;

  constructor(held: Held) {
    this.lease = held.lease;
    this.#held = held;
    this.#sentAt = held.provenAt;
    const seconds = held.lease.fence === null ? SPEC_LEASE_S : held.leaseSeconds;
    this.#clock = new LeaseClock(seconds, held.provenAt, HTTP_PACE);
    this.#unwatch = held.server.watch(() => this.#wasCut());
    this.#schedule();
  }

  get lost(): AbortSignal {
    return this.#loss.signal;
  }

  async renew(): Promise<void> {
    if (this.lost.aborted) throw this.lost.reason;
    if (this.#isOver()) throw alreadyReleased();
    const done = Promise.withResolvers<void>();
    this.#renewals.push({ from: performance.now(), done });
    this.#refresh();
    await done.promise;
  }

  release(): Promise<ReleaseOutcome> {
    if (this.#released) return Promise.resolve("already-gone");
    this.#releasing ??= this.#letGo().catch((error) => {
      // Let it be tried again: until then the lock is still ours, and must not run out.
      this.#releasing = null;
      this.#refresh();
      throw error;
    });
    return this.#releasing;
  }

  /** A server knows sessions, not processes. */
  async cover(): Promise<boolean> {
    return false;
  }

  #isOver(): boolean {
    return this.#releasing !== null || this.#released || this.lost.aborted;
  }

  /** Earlier questions stay open: a slow answer counts as well. */
  #refresh(): void {
    if (this.#isOver()) return;
    const { session, serverKey } = this.#held;
    const sentAt = performance.now();
    this.#sentAt = sentAt;
    this.#clock.sent(sentAt);
    session
      .lock("refresh", serverKey, {
        patience: this.#held.leaseSeconds * 1_000,
        signal: this.#over.signal,
        background: this.#renewals.length === 0,
      })
      .then((answer) => this.#hear(answer, sentAt))
      .catch((error) => this.#fail(messageOf(error)));
    this.#schedule();
  }

  #hear(answer: Answer, sentAt: number): void {
    if (this.#isOver()) return;
    const { status, body } = answer;
    const fence = numberIn(body, "fence");
    // A proxy has no word in this, and does not speak JSON.
    const isOurWord = body !== null && (body.error !== undefined || body.message !== undefined);
    const isGone = status === 404 || status === 401 || status === 423 || status === 410;
    if (isOurWord && (isGone || (status === 200 && fence !== this.lease.fence))) {
      this.#lose("the server no longer counts it as held");
      return;
    }
    if (!isOurWord || status !== 200) {
      this.#fail(this.#held.server.refusal(answer).message);
      return;
    }
    this.#clock.proven(sentAt, Number.POSITIVE_INFINITY);
    this.#trouble = null;
    this.#isFailing = false;
    const waiting = this.#renewals;
    this.#renewals = waiting.filter(({ from }) => from > sentAt);
    for (const { from, done } of waiting) if (from <= sentAt) done.resolve();
    this.#schedule();
  }

  #fail(trouble: string): void {
    if (this.#isOver()) return;
    this.#trouble = trouble;
    this.#isFailing = true;
    this.#retryAt = performance.now() + RETRY_MS;
    this.#schedule();
  }

  /** The server may have been stopped, and be back without its memory: it is asked at once. */
  #wasCut(): void {
    if (this.#isOver() || this.#isFailing) return;
    this.#isFailing = true;
    this.#retryAt = Math.max(performance.now(), this.#sentAt + CUT_INTERVAL_MS);
    this.#schedule();
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#isOver()) return;
    const { boundAt } = this.#held;
    const end = Math.min(this.#clock.giveUpAt, boundAt ?? Number.POSITIVE_INFINITY);
    const left = Math.ceil(Math.min(this.#nextAt(), end) - performance.now());
    this.#timer = setTimeout(() => this.#tick(), Math.max(1, Math.min(left, TIMER_LIMIT_MS)));
    // Who waits for a renewal keeps the process running; a lock that is only held does not.
    if (this.#renewals.length === 0) this.#timer.unref();
  }

  #nextAt(): number {
    return this.#isFailing ? this.#retryAt : this.#clock.nextAt;
  }

  #tick(): void {
    const now = performance.now();
    const { boundAt, server } = this.#held;
    if (boundAt !== null && now >= boundAt) {
      this.#endTtl();
    } else if (now >= this.#clock.giveUpAt) {
      const silence = formatDuration(now - this.#clock.provenAt);
      const why = this.#trouble ?? `the lock server ${server.address.shown} does not answer`;
      this.#lose(`it could not be renewed for ${silence} (${why.replace(/\.$/, "")})`);
    } else if (now >= this.#nextAt()) {
      // What hangs or broke may have been the connection alone: the next question gets another.
      if (this.#isFailing || this.#clock.isUnanswered) void server.dropIdle();
      this.#isFailing = false;
      this.#refresh();
    } else {
      this.#schedule();
    }
  }

  /** Told first, then let go: nobody else can have it before. */
  #endTtl(): void {
    this.#lose("its ttl is over");
    void letGo(this.#held).catch(() => {});
  }

  #lose(why: string): void {
    if (this.#isOver()) return;
    const sentence = `The lock ${JSON.stringify(this.lease.key)} was lost: ${why}.`;
    this.#loss.abort(new LockError("LOCK_LOST", sentence));
    this.#stop(this.lost.reason);
  }

  #stop(reason: LockError): void {
    clearTimeout(this.#timer);
    this.#unwatch();
    this.#over.abort();
    for (const { done } of this.#renewals.splice(0)) done.reject(reason);
  }

  async #letGo(): Promise<ReleaseOutcome> {
    if (this.lost.aborted) {
      // What ran under it has ended by now: where the session still lives, the next need not wait.
      void this.#held.session.end({ background: true });
      return "already-gone";
    }
    clearTimeout(this.#timer);
    const outcome = await letGo(this.#held);
    this.#released = true;
    this.#stop(alreadyReleased());
    return outcome;
  }
}

function alreadyReleased(): LockError {
  return new LockError("LOCK_LOST", "The lock was already released.");
}
