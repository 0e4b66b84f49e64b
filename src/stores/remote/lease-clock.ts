import type { CheckedRequest } from "../../lock/request.ts";

/** One renewal may be late and one may fail before the lease is in danger. */
const RENEWALS_PER_LEASE = 3;
/**
 * A holder that cannot renew gives up at this part of its lease: the rest is for its command to end
 * before the server lets anybody else in.
 */
const GIVE_UP_AT = 2 / 3;
const PATIENCES_PER_LEASE = 6;
/**
 * A lock that was renewed on a new connection may still belong to the old one in the server's
 * books, and be freed with it once the server notices that it is dead.
 * Until then the server is asked often, so that a loss is soon known.
 */
const DOUBT_MS = 30_000;
const DOUBT_INTERVAL_MS = 250;

/** What a kind of server asks of its holders, besides their lease. Milliseconds. */
export interface Pace {
  /** A holder speaks at least this often, however long its lease. */
  readonly silenceLimit: number;
  /** After so much silence the server frees the lock, however long its lease. */
  readonly serverPatience: number;
  /** A holder gives up after so much silence, however long its lease. */
  readonly giveUpLimit: number;
}

/**
 * When a holder has to speak, and when to give up. Times are this process's own, in milliseconds:
 * the server's clock is never asked. A lease counts from before its last good renewal was sent, so
 * that here it is always over before it is over at the server.
 */
export class LeaseClock {
  readonly #pace: Pace;
  readonly #askedMs: number;
  #leaseMs: number;
  #provenAt: number;
  #sentAt: number;
  #isUnanswered = false;
  #doubtUntil = Number.NEGATIVE_INFINITY;

  constructor(leaseSeconds: number, provenAt: number, pace: Pace) {
    this.#pace = pace;
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
    return this.#provenAt + Math.min(this.#leaseMs, this.#pace.serverPatience);
  }

  get giveUpAt(): number {
    return this.#provenAt + Math.min(this.#leaseMs * GIVE_UP_AT, this.#pace.giveUpLimit);
  }

  /** When to renew; while a renewal is unanswered: when to ask on another connection. */
  get nextAt(): number {
    if (this.#isUnanswered) return this.#sentAt + this.patience;
    const longest = this.#sentAt < this.#doubtUntil ? DOUBT_INTERVAL_MS : this.#pace.silenceLimit;
    return this.#sentAt + Math.min(this.#leaseMs / RENEWALS_PER_LEASE, longest);
  }

  /** An answer that takes longer may never come. */
  get patience(): number {
    return Math.min(this.#leaseMs / PATIENCES_PER_LEASE, this.#pace.silenceLimit / 2);
  }

  sent(at: number): void {
    this.#sentAt = at;
    this.#isUnanswered = true;
  }

  /** The server renewed for so many seconds. Answers on two connections may come in any order. */
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
 * The one time that a server counts, in seconds: how long it hears nothing of a holder until it gives
 * the lock to the next. That is dead-after, or the ttl where it is shorter, since the lock must not
 * outlive its last refresh by more. A longer ttl needs nothing from the server: the renewals go on as
 * long as the holder lives, or, where the ttl is a hard bound, until its end.
 */
export function leaseSecondsOf({ deadAfter, ttl }: CheckedRequest): number {
  return Math.max(1, Math.ceil(Math.min(deadAfter, ttl) / 1_000));
}
