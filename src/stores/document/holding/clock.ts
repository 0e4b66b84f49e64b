import { REFRESH_AT } from "../../../lock/ttl.ts";
import type { HolderEntry } from "../document.ts";
import type { Timing } from "../timing.ts";

/** A holder that cannot show that it lives gives up this early, so that its command is stopped in time. */
const GIVE_UP_AT = 2 / 3;
/** Three signs of life, and looks for a break, in the time after which silence is death. */
export const BEATS_PER_LIFE = 3;
/** How long before its ttl ends a holder gives up: a part of the ttl, and no more than a second. */
const EXPIRY_MARGIN = 0.05;
const EXPIRY_MARGIN_MS = 1_000;
/** A renewal that failed is tried again so soon, as a part of the time that the hold has. */
const RETRY_PART = 12;
const NEVER = Number.POSITIVE_INFINITY;

export interface ClockOptions {
  readonly timing: Pick<Timing, "heartbeat">;
  /** Keeps the hold's beacon lit; null where it has none. */
  readonly keepalive: { readonly litAt: number } | null;
  /** False: the ttl is a hard bound. */
  readonly refresh: boolean;
}

/**
 * When a hold has to be renewed, and when it must be given up. All times are this process's own, by
 * `performance.now`, and count from before the renewal was sent: so here they are over before they
 * are over for those who watch.
 */
export class HoldingClock {
  readonly #holder: HolderEntry;
  readonly #options: ClockOptions;
  #beatAt: number;
  #refreshedAt: number;

  constructor(holder: HolderEntry, grantedAt: number, options: ClockOptions) {
    this.#holder = holder;
    this.#options = options;
    this.#beatAt = grantedAt;
    this.#refreshedAt = grantedAt;
  }

  renewed(sentAt: number, refreshed: boolean): void {
    this.#beatAt = sentAt;
    if (refreshed) this.#refreshedAt = sentAt;
  }

  /** When it last showed that it lives. Null: the forge is asked, not this process. */
  get aliveAt(): number | null {
    if (this.#options.keepalive !== null) return this.#options.keepalive.litAt;
    return this.#beats ? this.#beatAt : null;
  }

  get giveUpAt(): number {
    const { aliveAt } = this;
    return aliveAt === null ? NEVER : aliveAt + this.#holder.deadAfter * GIVE_UP_AT;
  }

  /** A little before the others count the ttl as over: they must not be the first to know. */
  get expiresAt(): number {
    const { ttl } = this.#holder;
    if (this.#isOfRun) return NEVER;
    return this.#refreshedAt + ttl - Math.min(EXPIRY_MARGIN_MS, ttl * EXPIRY_MARGIN);
  }

  get renewAt(): number {
    const { ttl, deadAfter } = this.#holder;
    const { timing, refresh } = this.#options;
    const refreshAt = refresh && !this.#isOfRun ? this.#refreshedAt + ttl * REFRESH_AT : NEVER;
    const every = Math.min(timing.heartbeat, deadAfter / BEATS_PER_LIFE);
    return Math.min(refreshAt, this.#beats ? this.#beatAt + every : NEVER);
  }

  get retryPause(): number {
    return Math.min(this.#holder.deadAfter, this.#holder.ttl) / RETRY_PART;
  }

  /** Its renewals are its signs of life. */
  get #beats(): boolean {
    return this.#holder.life?.kind === "heartbeat" && this.#options.keepalive === null;
  }

  /** Nobody renews the hold of a run between two of its jobs. */
  get #isOfRun(): boolean {
    return this.#holder.life?.kind === "run";
  }
}
