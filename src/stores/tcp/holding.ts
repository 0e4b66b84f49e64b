import { setTimeout as delay } from "node:timers/promises";
import { messageOf } from "../../lock/errors.ts";
import { brokenWords, HISTORY_LIMIT } from "../../lock/history.ts";
import type { Lease, ReleaseOutcome } from "../../lock/store.ts";
import { TIMER_LIMIT_MS, within } from "../../lock/time.ts";
import type { Introduction } from "../../wire/introduction.ts";
import type { Reply } from "../../wire/reply.ts";
import { type Request, releaseRequest, renewRequest } from "../../wire/request.ts";
import { keyHistoryRequest } from "../../wire/stats.ts";
import { RETRY_MS, RenewingHolding } from "../remote/holding.ts";
import { LeaseClock } from "../remote/lease-clock.ts";
import { closed, silent } from "../remote/trouble.ts";
import type { Connection } from "./connection.ts";
import type { LockServer } from "./server.ts";
import { pastIn } from "./status.ts";

/** How long the loss of a lock is held back to learn its reason. */
const WHY_MS = 500;

/** A server answers in milliseconds; after this another connection is tried. */
const RELEASE_MS = 5_000;

export interface Held {
  readonly server: LockServer;
  readonly connection: Connection;
  readonly introduction: Introduction;
  readonly lease: Lease;
  readonly wireKey: string;
  readonly slots: number;
  /** The seconds that the server counts, begun anew by each renewal. */
  readonly leaseSeconds: number;
  /** By `performance.now`: the lease lasts at least from here. */
  readonly provenAt: number;
  /** Milliseconds that the work under the lock needs to stop. */
  readonly grace: number;
  /** By `performance.now`: its end, if the ttl is a hard bound. */
  readonly boundAt: number | null;
}

/**
 * A held lock. It is renewed on the connection that got it. If that connection breaks or falls silent, it is
 * renewed at once on a new one, by its token. The server's word decides: renewed is held, `error` is lost.
 */
export class TcpHolding extends RenewingHolding {
  readonly #held: Held;
  /**
   * Mostly one connection. If some only seem dead, the first still counts for most servers: they free the lock
   * when it is closed, or silent for too long. So all of them are kept, and spoken on.
   */
  readonly #connections = new Set<Connection>();
  /** The connection that answered last, or is the newest. */
  #current: Connection | null = null;
  #reconnecting = false;
  #triedAt = Number.NEGATIVE_INFINITY;

  constructor(held: Held) {
    const { lease, boundAt, leaseSeconds, provenAt, grace, server } = held;
    const clock = new LeaseClock(leaseSeconds, provenAt, server.pace, grace);
    super({ lease, clock, boundAt, silence: "the server does not answer" });
    this.#held = held;
    this.#adopt(held.connection);
    this.schedule();
  }

  protected ask(): void {
    if (this.#connections.size === 0) return void this.#reconnect();
    const sentAt = performance.now();
    this.clock.sent(sentAt);
    for (const connection of this.#connections) {
      connection.ask(this.#renewal()).then(
        (reply) => this.#hear(reply, sentAt, connection),
        () => {
          // Its end is noticed where it was adopted.
        },
      );
    }
  }

  /** While there is no connection, or a doubtful one, the attempts go on by themselves. */
  protected get nextAt(): number {
    return this.#reconnecting ? Number.POSITIVE_INFINITY : this.clock.nextAt;
  }

  protected askAgain(): void {
    if (this.clock.isUnanswered) void this.#reconnect();
    else this.ask();
  }

  /** On the connection that holds the lock, or on a new one if that is broken. */
  protected async tellRelease(isOurs: boolean): Promise<ReleaseOutcome> {
    const { server, introduction } = this.#held;
    const current = this.#current;
    const answer =
      current === null ? null : await askRelease(current, this.#release()).catch(() => null);
    if (answer !== null) return answer;
    const { connection } = await server.introduce(introduction);
    try {
      const outcome = await askRelease(connection, this.#release());
      // The connection broke under the first word: until then the lock was ours, and it is free now, by that
      // word or by the break. That is no loss.
      return current !== null && isOurs ? "released" : outcome;
    } finally {
      connection.destroy();
    }
  }

  protected tellReleaseOfLost(): void {
    const connection = this.#current;
    if (connection === null) return;
    void connection.ask(this.#release()).then(
      () => connection.destroy(),
      () => {},
    );
  }

  /**
   * A connection that may still hold the lock is closed only when the lease is over: a server that still hears
   * us would let the next one in while our command is being stopped.
   */
  protected leave(isFree: boolean): void {
    const close = () => {
      for (const connection of this.#connections) connection.destroy();
    };
    const left = isFree ? 0 : this.clock.endsAt - performance.now();
    if (left <= 0) close();
    else setTimeout(close, Math.min(left, TIMER_LIMIT_MS)).unref();
  }

  #adopt(connection: Connection): void {
    connection.keepAlive(false);
    this.#connections.add(connection);
    this.#current = connection;
    void connection.ended.then((reason) => {
      this.#connections.delete(connection);
      if (this.#current === connection) this.#current = [...this.#connections].at(-1) ?? null;
      if (this.isOver) return;
      this.trouble = reason.message;
      // The server may have freed the lock with the connection: it is asked at once.
      this.ask();
      this.schedule();
    });
  }

  /** If the ttl is a bound, the last renewals get shorter, so that the server ends the lock in time too. */
  #renewal(): Request {
    const { wireKey: key, slots, lease, leaseSeconds, boundAt } = this.#held;
    const left = boundAt === null ? leaseSeconds : Math.ceil((boundAt - performance.now()) / 1_000);
    const seconds = Math.max(1, Math.min(leaseSeconds, left));
    return renewRequest({ key, limit: slots, token: lease.token, lease: seconds });
  }

  #release(): Request {
    const { wireKey: key, slots: limit, lease } = this.#held;
    return releaseRequest({ key, limit, token: lease.token });
  }

  async #reconnect(): Promise<void> {
    if (this.#reconnecting) return;
    this.#reconnecting = true;
    const { server, introduction } = this.#held;
    // An old connection may answer again meanwhile.
    while (!this.isOver && (this.#connections.size === 0 || this.clock.isUnanswered)) {
      const pause = this.#triedAt + RETRY_MS - performance.now();
      if (pause > 0)
        await delay(pause, undefined, { ref: false, signal: this.over }).catch(() => {});
      this.#triedAt = performance.now();
      try {
        const { connection } = await server.introduce(introduction, {
          signal: this.over,
          patience: Math.min(this.clock.patience, this.clock.giveUpAt - this.#triedAt),
          keepAlive: false,
        });
        this.#reconnecting = false;
        if (this.isOver) return connection.destroy();
        this.clock.changedConnection(performance.now());
        this.#adopt(connection);
        this.ask();
        this.schedule();
        return;
      } catch (error) {
        this.trouble = messageOf(error);
      }
    }
    this.#reconnecting = false;
    this.schedule();
  }

  /** Asks our own server why the lock is gone: its history knows who broke it, and why. */
  async #whyLost(connection: Connection): Promise<string> {
    const { server, wireKey, lease } = this.#held;
    const unknown = "the server no longer counts it as held";
    if (server.isOurs !== true) return unknown;
    try {
      const answer = connection.ask(keyHistoryRequest(wireKey));
      const reply = await within(answer, WHY_MS, () => silent(server.address, WHY_MS));
      const holds = pastIn(server.statsOf(reply), wireKey, HISTORY_LIMIT);
      return brokenWords(holds.find(({ fence }) => fence === lease.fence) ?? {}) ?? unknown;
    } catch {
      return unknown;
    }
  }

  #hear(reply: Reply, sentAt: number, connection: Connection): void {
    if (this.isOver) return;
    if (reply.kind === "error") {
      void this.#whyLost(connection).then((why) => this.lose(why, { isFree: true }));
      return;
    }
    // Anything else is no proof. A server that says it is not asked again on this connection.
    if (reply.kind !== "renewed") {
      connection.destroy();
      return;
    }
    this.#current = connection;
    this.proven(sentAt, reply.lease);
  }
}

export async function askRelease(
  connection: Connection,
  request: Request,
): Promise<ReleaseOutcome> {
  const late = () => closed(connection.address);
  const reply = await within(connection.ask(request), RELEASE_MS, late);
  return reply.kind === "ok" ? "released" : "already-gone";
}
