import { formatDuration } from "../../../lock/duration.ts";
import { isLockError, LockError } from "../../../lock/errors.ts";
import type { Beacons } from "../../engines/register.ts";

/** One light may be late and one may fail before the beacon goes out. */
const LIGHTS_PER_LIFE = 3;
/** A light, and another one where it failed, before its holder gives up. */
const LIGHTS_TO_GIVE_UP = 2;

/** How long a claim may be silent, in milliseconds. */
export interface Pace {
  /** From here on the others may count it as dead. */
  readonly deadAfter: number;
  /** From here on a holder counts its lock as lost. */
  readonly giveUpAfter: number;
  /** The engine may be silent for so long though it is well. */
  readonly outage: number;
}

/**
 * Keeps the beacon of one claim lit, from before it joins the line until it is over. Whether it is
 * lit decides who is promoted and who counts as dead.
 */
export class Keepalive {
  readonly id: string;
  readonly #beacons: Beacons;
  readonly pace: Pace;
  readonly #closed: AbortSignal;
  #timer: NodeJS.Timeout | undefined;
  #lighting: Promise<void> = Promise.resolve();
  #askedAt = Number.NEGATIVE_INFINITY;
  #litAt = Number.NEGATIVE_INFINITY;
  #failure: unknown = null;
  /** How often it may have been out, and how often of these it was shown that nobody used it. */
  #outs = 0;
  #proved = 0;
  #isOver = false;

  constructor(beacons: Beacons, id: string, pace: Pace, closed: AbortSignal) {
    this.id = id;
    this.#beacons = beacons;
    this.pace = pace;
    this.#closed = closed;
  }

  /** By `performance.now`: when the light was asked for that last succeeded. */
  get litAt(): number {
    return this.#litAt;
  }

  /** Why the latest one failed. */
  get failure(): unknown {
    return this.#failure;
  }

  /**
   * It was out for a while, or may be out by now, for instance because this process was stopped. Who
   * saw it out may be about to take the lock, though it burns again: only a swap of the document
   * that comes first ends that.
   */
  get isDoubtful(): boolean {
    return this.#outs > this.#proved || performance.now() - this.#litAt >= this.pace.giveUpAfter;
  }

  /** What a swap that is begun now would settle, for `proved`. */
  get doubt(): number {
    return this.#outs;
  }

  /**
   * A swap that was begun at that doubt has shown that the lock was still there. Its answer may have
   * been long on its way: what was in doubt since then it does not settle.
   */
  proved(doubt: number): void {
    this.#proved = doubt;
  }

  /** Lights it for the first time, or prepares it so that the first swap does. */
  kindle(signal?: AbortSignal): Promise<void> {
    return this.#light(this.#beacons.kindle === undefined ? "light" : "kindle", signal);
  }

  /** Lights it once. */
  light(signal?: AbortSignal): Promise<void> {
    return this.#light("light", signal);
  }

  /** Lights it again and again. A light that fails is tried sooner, and one that met silence at once. */
  start(): void {
    if (this.#isOver || this.#closed.aborted) return;
    const usual = this.#usual;
    const pause = this.#failure === null ? usual : usual / LIGHTS_PER_LIFE;
    const left = Math.max(0, this.#askedAt + pause - performance.now());
    this.#timer = setTimeout(() => {
      this.light().then(
        () => this.start(),
        () => this.start(),
      );
    }, left).unref();
  }

  /** Lights it no more. It burns down by itself. */
  leave(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  /** Puts it out, for an orderly end; that it fails costs others only the time until it is out. */
  async stop(): Promise<void> {
    this.leave();
    await this.#lighting.catch(() => {});
    if (this.#closed.aborted) return;
    const signal = AbortSignal.timeout(Math.ceil(this.pace.deadAfter / LIGHTS_PER_LIFE));
    await this.#beacons.douse(this.id, { signal }).catch(() => {});
  }

  get #usual(): number {
    const { deadAfter, giveUpAfter, outage } = this.pace;
    const most = Math.min(deadAfter / LIGHTS_PER_LIFE, giveUpAfter / LIGHTS_TO_GIVE_UP);
    // An outage may begin just before a light is due.
    return Math.min(most, giveUpAfter - outage);
  }

  #unanswered(cause: unknown): LockError {
    const within = formatDuration(Math.ceil(this.#usual));
    const sentence = `The store did not answer a sign of life within ${within}.`;
    return new LockError("STORE_UNREACHABLE", sentence, { cause });
  }

  #light(how: "light" | "kindle", signal: AbortSignal | undefined): Promise<void> {
    this.#lighting = this.#lightNow(how, signal);
    return this.#lighting;
  }

  async #lightNow(how: "light" | "kindle", signal: AbortSignal | undefined): Promise<void> {
    const asked = performance.now();
    this.#askedAt = asked;
    const { deadAfter } = this.pace;
    const patience = AbortSignal.timeout(Math.ceil(this.#usual));
    const signals = [this.#closed, patience, ...(signal === undefined ? [] : [signal])];
    try {
      await this.#beacons[how]?.(this.id, deadAfter, { signal: AbortSignal.any(signals) });
      // It may have gone out before this one was answered.
      if (performance.now() - this.#litAt >= deadAfter && Number.isFinite(this.#litAt))
        this.#outs++;
      this.#litAt = Math.max(this.#litAt, asked);
      this.#failure = null;
    } catch (thrown) {
      // The signal that this patience gave is no one else's: to the caller nobody has answered.
      const error = patience.aborted && !isLockError(thrown) ? this.#unanswered(thrown) : thrown;
      this.#failure = error;
      throw error;
    }
  }
}
