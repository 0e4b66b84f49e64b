import { formatDuration } from "../../lock/duration.ts";
import type { LockError } from "../../lock/errors.ts";
import type { Lease, ReleaseOutcome } from "../../lock/store.ts";
import { TIMER_LIMIT_MS } from "../../lock/time.ts";
import { alreadyReleased, LivingHolding } from "../holding.ts";
import type { LeaseClock } from "./lease-clock.ts";

/**
 * How soon to ask again while the server is away. Short, since a server that comes back without memory lets
 * others in.
 */
export const RETRY_MS = 100;

/** How a release ended. `gone`: why the lock was no longer there, if the server says it. */
export type Released = ReleaseOutcome | { readonly gone: string };

export interface Grant {
  readonly lease: Lease;
  readonly clock: LeaseClock;
  /** By `performance.now`: its end, if the ttl is a hard bound. */
  readonly boundAt: number | null;
  /** Why renewals fail, if nothing more was heard. */
  readonly silence: string;
}

/**
 * A lock that a server keeps while it is renewed. The server's word decides, and so does its silence when the
 * lease is nearly over. Each kind of server decides how it is asked, and on what: a class that extends this one
 * calls `schedule` once it is ready to `ask`.
 */
export abstract class RenewingHolding extends LivingHolding {
  protected readonly clock: LeaseClock;
  protected trouble: string | null = null;
  readonly #boundAt: number;
  readonly #silence: string;
  readonly #over = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #renewals: { from: number; done: PromiseWithResolvers<void> }[] = [];

  constructor({ lease, clock, boundAt, silence }: Grant) {
    super(lease);
    this.clock = clock;
    this.#boundAt = boundAt ?? Number.POSITIVE_INFINITY;
    this.#silence = silence;
  }

  /** Asks for a renewal. The server's answer goes to `proven` or `lose`; everything else is `trouble`. */
  protected abstract ask(): void;

  /** By `performance.now`: when to `askAgain`. */
  protected abstract get nextAt(): number;

  /** Asks because it is time to, perhaps because the last question got no answer. */
  protected abstract askAgain(): void;

  /**
   * Tells the server that the lock is released. `isOurs`: by its lease it was ours until now. Else the process
   * was stopped for so long that the lock may be somebody else's, and only the server knows.
   */
  protected abstract tellRelease(isOurs: boolean): Promise<Released>;

  /** The same for a lock whose loss was told already; nobody waits for the answer. */
  protected abstract tellReleaseOfLost(): void;

  /** Nothing is asked any more. `isFree`: the server has freed the lock. */
  protected abstract leave(isFree: boolean): void;

  async renew(): Promise<void> {
    this.refuseOver();
    const done = Promise.withResolvers<void>();
    this.#renewals.push({ from: performance.now(), done });
    this.ask();
    this.schedule();
    await done.promise;
  }

  protected goOn(): void {
    this.ask();
    this.schedule();
  }

  /** Fires when it is over. */
  protected get over(): AbortSignal {
    return this.#over.signal;
  }

  /** Somebody waits for a renewal. */
  protected get isAwaited(): boolean {
    return this.#renewals.length > 0;
  }

  /** The server renewed for that many seconds, counted from the question. */
  protected proven(sentAt: number, seconds: number): void {
    this.clock.proven(sentAt, seconds);
    this.trouble = null;
    const waiting = this.#renewals;
    this.#renewals = waiting.filter(({ from }) => from > sentAt);
    for (const { from, done } of waiting) if (from <= sentAt) done.resolve();
    this.schedule();
  }

  /** `isSafe`: nobody else can have the lock before its lease ends. */
  protected lose(why: string, how: { isFree?: boolean; isSafe?: boolean } = {}): void {
    if (this.isOver) return;
    const { isFree = false, isSafe = !isFree } = how;
    this.tellLoss(why, isSafe ? this.clock.endsAt : null);
    this.#stop(this.lost.reason, isFree);
  }

  protected schedule(): void {
    clearTimeout(this.#timer);
    if (this.isOver) return;
    const at = Math.min(this.nextAt, this.clock.giveUpAt, this.#boundAt);
    const left = Math.ceil(at - performance.now());
    this.#timer = setTimeout(() => this.#tick(), Math.max(1, Math.min(left, TIMER_LIMIT_MS)));
    // A renewal that somebody waits for keeps the process running; a lock that is only held does not.
    if (!this.isAwaited) this.#timer.unref();
  }

  #tick(): void {
    const now = performance.now();
    if (now >= this.#boundAt) {
      // The loss is told before the release: nobody else can have the lock before.
      this.lose("its ttl is over", { isSafe: false });
      this.tellReleaseOfLost();
    } else if (now >= this.clock.giveUpAt) {
      const silence = formatDuration(now - this.clock.provenAt);
      const why = this.trouble ?? this.#silence;
      this.lose(`it could not be renewed for ${silence} (${why.replace(/\.$/, "")})`);
    } else if (now >= this.nextAt) {
      this.askAgain();
    }
    this.schedule();
  }

  #stop(reason: LockError, isFree: boolean): void {
    clearTimeout(this.#timer);
    this.#over.abort();
    this.leave(isFree);
    for (const { done } of this.#renewals.splice(0)) done.reject(reason);
  }

  protected async releaseNow(): Promise<ReleaseOutcome> {
    clearTimeout(this.#timer);
    const outcome = await this.tellRelease(performance.now() < this.clock.endsAt);
    if (typeof outcome === "string") {
      this.#stop(alreadyReleased(), true);
      return outcome;
    }
    // The lock was lost a moment before: the releasing caller should hear why.
    this.tellLoss(outcome.gone);
    this.#stop(this.lost.reason, true);
    return "already-gone";
  }
}
