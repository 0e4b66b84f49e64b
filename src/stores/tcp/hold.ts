import { setTimeout as delay } from "node:timers/promises";
import { formatDuration } from "../../lock/duration.ts";
import { LockError, messageOf } from "../../lock/errors.ts";
import type { Lease } from "../../lock/lease.ts";
import type { Holding, ReleaseOutcome } from "../../lock/store.ts";
import { type Introduction, introductionRequest } from "../../wire/introduction.ts";
import type { Reply } from "../../wire/reply.ts";
import { type Request, renewRequest } from "../../wire/request.ts";
import { LeaseClock } from "../lease-clock.ts";
import type { Connection } from "./connection.ts";
import { letGo, releaseOf } from "./let-go.ts";
import type { LockServer } from "./server.ts";

/** While the server is away. Short, since a server that comes back without memory lets others in. */
const RETRY_MS = 100;
/** Timers beyond 2^31 ms fire at once. */
const TIMER_LIMIT_MS = 2 ** 30;

export interface Held {
  readonly server: LockServer;
  readonly connection: Connection;
  readonly introduction: Introduction;
  readonly lease: Lease;
  readonly wireKey: string;
  readonly slots: number;
  /** What the server counts, renewed by each renewal. */
  readonly leaseSeconds: number;
  /** By `performance.now`: the lease lasts at least from here. */
  readonly provenAt: number;
  /** By `performance.now`: where the ttl is a hard bound, its end. */
  readonly boundAt: number | null;
}

/**
 * A held lock. It is renewed on the connection that got it; when that one breaks or falls silent,
 * at once on a new one, by its token. The server's word decides: renewed is held, `error` is lost.
 */
export class Hold implements Holding {
  readonly lease: Lease;
  readonly #held: Held;
  readonly #loss = new AbortController();
  readonly #over = new AbortController();
  /**
   * Mostly one. Of those that only seem dead, the first still counts for most servers: the lock is
   * freed when it is closed, or silent for too long. So all of them are kept, and spoken on.
   */
  readonly #connections = new Set<Connection>();
  /** The one that answered last, or is the newest. */
  #current: Connection | null = null;
  #reconnecting = false;
  readonly #clock: LeaseClock;
  #triedAt = Number.NEGATIVE_INFINITY;
  #trouble: string | null = null;
  #timer: NodeJS.Timeout | undefined;
  #renewals: { from: number; done: PromiseWithResolvers<void> }[] = [];
  #releasing: Promise<ReleaseOutcome> | null = null;
  #released = false;

  constructor(held: Held) {
    this.lease = held.lease;
    this.#held = held;
    this.#clock = new LeaseClock(held.leaseSeconds, held.provenAt, held.server.pace);
    this.#adopt(held.connection);
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
    this.#renew();
    this.#schedule();
    await done.promise;
  }

  release(): Promise<ReleaseOutcome> {
    if (this.#released) return Promise.resolve("already-gone");
    this.#releasing ??= this.#letGo().catch((error) => {
      // Let it be tried again: until then the lock is still ours, and must not fall silent.
      this.#releasing = null;
      this.#renew();
      this.#schedule();
      throw error;
    });
    return this.#releasing;
  }

  /** The server frees what a closed connection held, whatever else runs. */
  async cover(): Promise<boolean> {
    return false;
  }

  #isOver(): boolean {
    return this.#releasing !== null || this.#released || this.lost.aborted;
  }

  #adopt(connection: Connection): void {
    connection.keepAlive(false);
    this.#connections.add(connection);
    this.#current = connection;
    void connection.ended.then((reason) => {
      this.#connections.delete(connection);
      if (this.#current === connection) this.#current = [...this.#connections].at(-1) ?? null;
      if (this.#isOver()) return;
      this.#trouble = reason.message;
      // The server may have freed the lock with it: it is asked at once.
      this.#renew();
      this.#schedule();
    });
  }

  #renew(): void {
    if (this.#connections.size === 0) return void this.#reconnect();
    const sentAt = performance.now();
    this.#clock.sent(sentAt);
    for (const connection of this.#connections) {
      connection.ask(this.#renewal()).then(
        (reply) => this.#hear(reply, sentAt, connection),
        () => {
          // Its end is noticed by whoever adopted it.
        },
      );
    }
  }

  /** Where the ttl is a bound, the last renewals get shorter: the server, too, ends it in time. */
  #renewal(): Request {
    const { wireKey: key, slots, lease, leaseSeconds, boundAt } = this.#held;
    const left = boundAt === null ? leaseSeconds : Math.ceil((boundAt - performance.now()) / 1_000);
    const seconds = Math.max(1, Math.min(leaseSeconds, left));
    return renewRequest({ key, limit: slots, token: lease.token, lease: seconds });
  }

  async #reconnect(): Promise<void> {
    if (this.#reconnecting) return;
    this.#reconnecting = true;
    const { server, introduction } = this.#held;
    // An old connection may come to its senses meanwhile.
    while (!this.#isOver() && (this.#connections.size === 0 || this.#clock.isUnanswered)) {
      const pause = this.#triedAt + RETRY_MS - performance.now();
      if (pause > 0) await delay(pause, undefined, { ref: false });
      this.#triedAt = performance.now();
      try {
        const { connection } = await server.greet(introductionRequest(introduction), {
          signal: this.#over.signal,
          patience: Math.min(this.#clock.patience, this.#clock.giveUpAt - this.#triedAt),
          keepAlive: false,
        });
        this.#reconnecting = false;
        if (this.#isOver()) return connection.destroy();
        this.#clock.changedConnection(performance.now());
        this.#adopt(connection);
        this.#renew();
        this.#schedule();
        return;
      } catch (error) {
        this.#trouble = messageOf(error);
      }
    }
    this.#reconnecting = false;
    this.#schedule();
  }

  #hear(reply: Reply, sentAt: number, connection: Connection): void {
    if (this.#isOver()) return;
    if (reply.kind === "error") {
      this.#lose("the server no longer counts it as held", { dropAtOnce: true });
      return;
    }
    // Anything else is no proof, and whoever says it is not to be trusted with the next question.
    if (reply.kind !== "renewed") {
      connection.destroy();
      return;
    }
    this.#current = connection;
    this.#clock.proven(sentAt, reply.lease);
    this.#trouble = null;
    const waiting = this.#renewals;
    this.#renewals = waiting.filter(({ from }) => from > sentAt);
    for (const { from, done } of waiting) if (from <= sentAt) done.resolve();
    this.#schedule();
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#isOver()) return;
    const boundAt = this.#held.boundAt ?? Number.POSITIVE_INFINITY;
    // While there is no connection, or a doubtful one, the attempts go on by themselves.
    const next = this.#reconnecting ? Number.POSITIVE_INFINITY : this.#clock.nextAt;
    const left = Math.ceil(Math.min(next, this.#clock.giveUpAt, boundAt) - performance.now());
    this.#timer = setTimeout(() => this.#tick(), Math.max(1, Math.min(left, TIMER_LIMIT_MS)));
    // Who waits for a renewal keeps the process running; a lock that is only held does not.
    if (this.#renewals.length === 0) this.#timer.unref();
  }

  #tick(): void {
    const now = performance.now();
    const { boundAt } = this.#held;
    if (boundAt !== null && now >= boundAt) {
      this.#endTtl();
    } else if (now >= this.#clock.giveUpAt) {
      const silence = formatDuration(now - this.#clock.provenAt);
      const why = this.#trouble ?? "the server does not answer";
      this.#lose(`it could not be renewed for ${silence} (${why.replace(/\.$/, "")})`);
    } else if (now >= this.#clock.nextAt && !this.#reconnecting) {
      if (this.#clock.isUnanswered) void this.#reconnect();
      else this.#renew();
    }
    this.#schedule();
  }

  /** Told first, then let go: nobody else can have it before. */
  #endTtl(): void {
    const connection = this.#current;
    this.#lose("its ttl is over");
    if (connection === null) return;
    void connection.ask(releaseOf(this.#held)).then(
      () => connection.destroy(),
      () => {},
    );
  }

  #lose(why: string, { dropAtOnce = false } = {}): void {
    if (this.#isOver()) return;
    const sentence = `The lock ${JSON.stringify(this.lease.key)} was lost: ${why}.`;
    this.#loss.abort(new LockError("LOCK_LOST", sentence));
    // Closed only when the lease is over: a server that still hears us would let the next one in
    // while our command is being stopped.
    const left = dropAtOnce ? 0 : this.#clock.endsAt - performance.now();
    this.#stop(Math.max(0, left));
    for (const { done } of this.#renewals.splice(0)) done.reject(this.lost.reason);
  }

  #stop(closeIn: number): void {
    clearTimeout(this.#timer);
    this.#over.abort();
    const close = () => {
      for (const connection of this.#connections) connection.destroy();
    };
    if (closeIn === 0) close();
    else setTimeout(close, Math.min(closeIn, TIMER_LIMIT_MS)).unref();
  }

  async #letGo(): Promise<ReleaseOutcome> {
    if (this.lost.aborted) return "already-gone";
    clearTimeout(this.#timer);
    const outcome = await letGo(this.#held, this.#current);
    this.#released = true;
    this.#stop(0);
    for (const { done } of this.#renewals.splice(0)) done.reject(alreadyReleased());
    return outcome;
  }
}

function alreadyReleased(): LockError {
  return new LockError("LOCK_LOST", "The lock was already released.");
}
