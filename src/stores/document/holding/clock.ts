import { REFRESH_AT } from "../../../lock/ttl.ts";
import type { ServerClock } from "../../remote/server-clock.ts";
import type { HolderEntry } from "../document.ts";
import { hasEnd } from "../operations/grant.ts";
import type { Timing } from "../timing.ts";
import type { Keepalive } from "./keepalive.ts";

/** A holder that cannot show that it lives gives up at this part of that time, so that its command stops in time. */
const GIVE_UP_AT = 2 / 3;
/**
 * The part of the time that is left for signs of life to fail and to succeed, however long the command needs to
 * stop.
 */
const GIVE_UP_LEAST = 1 / 3;
/** An outage that begins just before the next sign of life leaves a quarter of the time for that. */
const OUTAGE_SHARE = 4 / 3;
/** Between the end of the command's grace and the moment from which others may have the lock. */
const GRACE_MARGIN_MS = 500;
/** How many signs of life, and looks for a break, there are in the time after which silence is death. */
export const BEATS_PER_LIFE = 3;
const BEATS_TO_GIVE_UP = 2;
/** How long before its ttl ends a holder gives up: a part of the ttl, and no more than a second. */
const EXPIRY_MARGIN = 0.05;
const EXPIRY_MARGIN_MS = 1_000;
/** How soon a renewal that failed is tried again, as a part of the time that the hold has. */
const RETRY_PART = 12;
const NEVER = Number.POSITIVE_INFINITY;

export interface ClockOptions {
  readonly timing: Pick<Timing, "heartbeat">;
  /** The engine's. */
  readonly clock?: ServerClock | undefined;
  /** Renews the hold's session; null where that shows no life. */
  readonly keepalive: Pick<Keepalive, "aliveAt" | "pace"> | null;
  /** False: the ttl is a hard bound. */
  readonly refresh: boolean;
  /** Milliseconds that the holder's work needs to stop. */
  readonly grace: number;
}

/**
 * Milliseconds of silence after which a holder gives up. It gives up earlier if its work needs long to stop, but
 * never so early that an outage of the engine and the sign of life before it do not fit in.
 */
export function giveUpAfter(deadAfter: number, grace: number, outage = 0): number {
  const usual = deadAfter * GIVE_UP_AT;
  if (grace === 0) return usual;
  const early = deadAfter - grace - GRACE_MARGIN_MS;
  return Math.min(usual, Math.max(deadAfter * GIVE_UP_LEAST, outage * OUTAGE_SHARE, early));
}

/**
 * When a hold has to be renewed, and when it must be given up. All times are this process's own, by
 * `performance.now`, and count from before the renewal was sent: so they are over here before they are over for
 * those who watch.
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
    if (this.#options.keepalive !== null) return this.#options.keepalive.aliveAt;
    return this.#beats ? this.#beatAt : null;
  }

  get giveUpAt(): number {
    const { aliveAt } = this;
    if (aliveAt === null) return NEVER;
    return aliveAt + this.#giveUpAfter;
  }

  /** From here on others may have the lock, if nothing but silence ends it. */
  get endsAt(): number {
    const { aliveAt } = this;
    return aliveAt === null ? NEVER : aliveAt + this.#holder.deadAfter;
  }

  /** A little before the others count the ttl as over: they must not be the first to know. */
  get expiresAt(): number {
    const { ttl } = this.#holder;
    const end = this.#endsAt ?? this.#refreshedAt + ttl;
    return end - Math.min(EXPIRY_MARGIN_MS, ttl * EXPIRY_MARGIN);
  }

  get renewAt(): number {
    const { ttl, deadAfter } = this.#holder;
    const { timing, refresh } = this.#options;
    const refreshAt =
      refresh && !hasEnd(this.#holder) ? this.#refreshedAt + ttl * REFRESH_AT : NEVER;
    const most = this.#giveUpAfter / BEATS_TO_GIVE_UP;
    const every = Math.min(timing.heartbeat, deadAfter / BEATS_PER_LIFE, most);
    return Math.min(refreshAt, this.#beats ? this.#beatAt + every : NEVER);
  }

  get #giveUpAfter(): number {
    const { keepalive, grace } = this.#options;
    return keepalive?.pace.giveUpAfter ?? giveUpAfter(this.#holder.deadAfter, grace);
  }

  /** If the hold has a fixed end by the engine's clock: that end, which no renewal moves. */
  get #endsAt(): number | null {
    const latest = this.#options.clock?.latest ?? null;
    const left = Date.parse(this.#holder.ends ?? "") - (latest ?? Number.NaN);
    return Number.isNaN(left) ? null : performance.now() + left;
  }

  get retryPause(): number {
    return Math.min(this.#holder.deadAfter, this.#holder.ttl) / RETRY_PART;
  }

  /** Its renewals are its signs of life. */
  get #beats(): boolean {
    return this.#holder.life?.kind === "heartbeat" && this.#options.keepalive === null;
  }
}
