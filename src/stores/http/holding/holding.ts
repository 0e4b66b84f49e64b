import { messageOf } from "../../../lock/errors.ts";
import { brokenWords } from "../../../lock/history.ts";
import type { Lease } from "../../../lock/store.ts";
import { countIn } from "../../remote/fields.ts";
import { RETRY_MS, type Released, RenewingHolding } from "../../remote/holding.ts";
import { LeaseClock, type Pace } from "../../remote/lease-clock.ts";
import type { Answer } from "../answer.ts";
import type { LockServer } from "../client.ts";
import type { Session } from "../session.ts";

/** A broken connection is a reason to ask at once; a proxy that breaks all of them is not. */
const CUT_INTERVAL_MS = 1_000;
/** How long a server without our sessions keeps a lock, whatever we ask for. */
const SPEC_LEASE_S = 1_800;

/** A session counts for as long as was asked for: silence alone ends nothing before. */
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
  /** How long the server keeps the session without hearing of it. */
  readonly leaseSeconds: number;
  /** By `performance.now`: the lease lasts at least from here. */
  readonly provenAt: number;
  /** Milliseconds that the work under the lock needs to stop. */
  readonly grace: number;
  /** By `performance.now`: its end, if the ttl is a hard bound. */
  readonly boundAt: number | null;
}

/** A held lock. The server's word decides: refreshed is held; not held, or no such session, is lost. */
export class HttpHolding extends RenewingHolding {
  readonly #held: Held;
  readonly #unwatch: () => void;
  /** No earlier than this, after a refresh that failed. */
  #retryAt = Number.NEGATIVE_INFINITY;
  #isFailing = false;
  #sentAt: number;

  constructor(held: Held) {
    const { lease, boundAt, provenAt, grace, server } = held;
    const seconds = lease.fence === null ? SPEC_LEASE_S : held.leaseSeconds;
    const clock = new LeaseClock(seconds, provenAt, HTTP_PACE, grace);
    const silence = `the lock server ${server.address.shown} does not answer`;
    super({ lease, clock, boundAt, silence });
    this.#held = held;
    this.#sentAt = provenAt;
    this.#unwatch = server.watch(() => this.#wasCut());
    this.schedule();
  }

  /** Earlier questions stay open: a slow answer counts as well. */
  protected ask(): void {
    const { session, serverKey } = this.#held;
    const sentAt = performance.now();
    this.#sentAt = sentAt;
    this.clock.sent(sentAt);
    session
      .lock("refresh", serverKey, {
        patience: this.#held.leaseSeconds * 1_000,
        signal: this.over,
        background: !this.isAwaited,
      })
      .then((answer) => this.#hear(answer, sentAt))
      .catch((error) => this.#fail(messageOf(error)));
  }

  protected get nextAt(): number {
    return this.#isFailing ? this.#retryAt : this.clock.nextAt;
  }

  protected askAgain(): void {
    // The connection alone may have hung or broken: the next question gets another.
    if (this.#isFailing || this.clock.isUnanswered) void this.#held.server.dropIdle();
    this.#isFailing = false;
    this.ask();
  }

  protected tellRelease(isOurs: boolean): Promise<Released> {
    return this.#held.session.release(this.#held.serverKey, isOurs);
  }

  protected tellReleaseOfLost(): void {
    void this.tellRelease(false).catch(() => {});
  }

  protected leave(): void {
    this.#unwatch();
  }

  /** If the session still lives, ends it: the next in line need not wait for its end. */
  protected override afterLoss(): void {
    void this.#held.session.end({ background: true });
  }

  #hear(answer: Answer, sentAt: number): void {
    if (this.isOver) return;
    const { status, body } = answer;
    const fence = countIn(body, "fence");
    // A proxy has no say in this, and does not speak JSON.
    const isOurWord = body !== null && (body.error !== undefined || body.message !== undefined);
    const isGone = status === 404 || status === 401 || status === 423 || status === 410;
    if (isOurWord && (isGone || (status === 200 && fence !== this.lease.fence))) {
      const broken = fence === this.lease.fence ? brokenWords(body) : null;
      this.lose(broken ?? "the server no longer counts it as held", { isFree: true });
      return;
    }
    if (!isOurWord || status !== 200) {
      this.#fail(this.#held.server.refusal(answer).message);
      return;
    }
    this.#isFailing = false;
    this.proven(sentAt, Number.POSITIVE_INFINITY);
  }

  #fail(trouble: string): void {
    if (this.isOver) return;
    this.trouble = trouble;
    this.#isFailing = true;
    this.#retryAt = performance.now() + RETRY_MS;
    this.schedule();
  }

  /** The server may have been stopped and come back without its memory: it is asked at once. */
  #wasCut(): void {
    if (this.isOver || this.#isFailing) return;
    this.#isFailing = true;
    this.#retryAt = Math.max(performance.now(), this.#sentAt + CUT_INTERVAL_MS);
    this.schedule();
  }
}
