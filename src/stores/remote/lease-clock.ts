import type { CheckedRequest } from "../../lock/request.ts";

/** One renewal may be late and one may fail before the lease is in danger. */
const RENEWALS_PER_LEASE = 3;
/**
 * A holder that cannot renew gives up at this part of its lease: the rest is for its command to end
 * before the server lets anybody else in.
 */
const GIVE_UP_AT = 2 / 3;
const PATIENCES_PER_LEASE = 6;
/** How many renewals, and how many waits for an answer, fit in the time after which a holder gives up. */
const RENEWALS_TO_GIVE_UP = 2;
const PATIENCES_TO_GIVE_UP = 4;
/**
 * The part of the lease that is left for renewals to fail and to succeed, however long the work needs to stop.
 */
const GIVE_UP_LEAST = 1 / 3;
/** Between the end of the work's grace and the end of the lease. */
const GRACE_MARGIN_MS = 500;
/**
 * How long a new connection is in doubt, and how often the server is asked meanwhile. A lock that was renewed on
 * it may still belong to the old connection in the server's books, and be freed once the server notices that the
 * old one is dead. Often asked, the server soon tells of such a loss.
 */
const DOUBT_MS = 30_000;
const DOUBT_INTERVAL_MS = 250;

/** What a kind of server asks of its holders, besides their lease. Milliseconds. */
export interface Pace {
  /** A holder speaks at least this often, however long its lease. */
  readonly silenceLimit: number;
  /** After that much silence the server frees the lock, however long its lease. */
  readonly serverPatience: number;
  /** A holder gives up after that much silence, however long its lease. */
  readonly giveUpLimit: number;
}

/**
 * When a holder has to speak, and when to give up. Times are this process's own, in milliseconds: the server's
 * clock is never asked. A lease counts from before its last good renewal was sent: so it is always over here
 * before it is over at the server.
 */
export class LeaseClock {
  readonly #pace: Pace;
  readonly #askedMs: number;
  readonly #graceMs: number;
  #leaseMs: number;
  #provenAt: number;
  #sentAt: number;
  #isUnanswered = false;
  #doubtUntil = Number.NEGATIVE_INFINITY;

  /** `graceMs`: what the work under the lock needs to stop. */
  constructor(leaseSeconds: number, provenAt: number, pace: Pace, graceMs = 0) {
    this.#pace = pace;
    this.#graceMs = graceMs;
    this.#askedMs = leaseSeconds * 1_000;
    this.#leaseMs = this.#askedMs;
    this.#provenAt = provenAt;
    this.#sentAt = provenAt;
  }

  /** The last renewal is on its way, or was lost on it. */
  get isUnanswered(): boolean {
    return this.#isUnanswered;
  }

  get provenAt(): number {
    return this.#provenAt;
  }

  /** From here on others may have the lock, if nothing more was heard. */
  get endsAt(): number {
    return this.#provenAt + this.#safeMs;
  }

  get giveUpAt(): number {
    return this.#provenAt + this.#giveUpMs;
  }

  /** When to renew; if a renewal has no answer yet: when to ask on another connection. */
  get nextAt(): number {
    if (this.#isUnanswered) return this.#sentAt + this.patience;
    const longest = this.#sentAt < this.#doubtUntil ? DOUBT_INTERVAL_MS : this.#pace.silenceLimit;
    const usual = Math.min(this.#leaseMs / RENEWALS_PER_LEASE, longest);
    return this.#sentAt + Math.min(usual, this.#giveUpMs / RENEWALS_TO_GIVE_UP);
  }

  /** An answer that takes longer may never come. */
  get patience(): number {
    const usual = Math.min(this.#leaseMs / PATIENCES_PER_LEASE, this.#pace.silenceLimit / 2);
    return Math.min(usual, this.#giveUpMs / PATIENCES_TO_GIVE_UP);
  }

  /** The milliseconds from the last proof until others may have the lock. */
  get #safeMs(): number {
    return Math.min(this.#leaseMs, this.#pace.serverPatience);
  }

  get #giveUpMs(): number {
    const usual = Math.min(this.#leaseMs * GIVE_UP_AT, this.#pace.giveUpLimit);
    if (this.#graceMs === 0) return usual;
    const early = this.#safeMs - this.#graceMs - GRACE_MARGIN_MS;
    return Math.min(usual, Math.max(this.#safeMs * GIVE_UP_LEAST, early));
  }

  sent(at: number): void {
    this.#sentAt = at;
    this.#isUnanswered = true;
  }

  /** The server renewed for that many seconds. Answers on two connections may come in any order. */
  proven(sentAt: number, seconds: number): void {
    if (sentAt >= this.#sentAt) this.#isUnanswered = false;
    if (sentAt < this.#provenAt) return;
    this.#provenAt = sentAt;
    this.#leaseMs = Math.min(this.#askedMs, Math.max(1, seconds) * 1_000);
  }

  changedConnection(at: number): void {
    this.#doubtUntil = at + DOUBT_MS;
  }
}

/**
 * The one time that a server counts, in seconds: how long it hears nothing of a holder until it gives the lock
 * to the next. That is dead-after, or the ttl if it is shorter, since the lock must not outlive its last refresh
 * by more. A longer ttl needs nothing from the server: the renewals go on as long as the holder lives or, if the
 * ttl is a hard bound, until its end.
 */
export function leaseSecondsOf({ deadAfter, ttl }: CheckedRequest): number {
  return Math.max(1, Math.ceil(Math.min(deadAfter, ttl) / 1_000));
}
