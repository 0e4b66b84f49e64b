import type { Beacons } from "../register.ts";

/** One light may be late and one may fail before the beacon goes out. */
const LIGHTS_PER_LIFE = 3;

/**
 * Keeps the beacon of one claim lit, from before it joins the line until it is over. Whether it is
 * lit decides who is promoted and who counts as dead.
 */
export class Keepalive {
  readonly #beacons: Beacons;
  readonly #id: string;
  readonly #deadAfter: number;
  readonly #closed: AbortSignal;
  #timer: NodeJS.Timeout | undefined;
  #litAt = Number.NEGATIVE_INFINITY;
  #failure: unknown = null;
  #isOver = false;

  constructor(beacons: Beacons, id: string, deadAfter: number, closed: AbortSignal) {
    this.#beacons = beacons;
    this.#id = id;
    this.#deadAfter = deadAfter;
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

  /** Lights it once. */
  async light(signal?: AbortSignal): Promise<void> {
    const asked = performance.now();
    const patience = AbortSignal.timeout(Math.ceil(this.#deadAfter / LIGHTS_PER_LIFE));
    const signals = [this.#closed, patience, ...(signal === undefined ? [] : [signal])];
    try {
      await this.#beacons.light(this.#id, this.#deadAfter, { signal: AbortSignal.any(signals) });
      this.#litAt = asked;
      this.#failure = null;
    } catch (error) {
      this.#failure = error;
      throw error;
    }
  }

  /** Lights it again and again. A light that fails is tried sooner. */
  start(): void {
    if (this.#isOver || this.#closed.aborted) return;
    const usual = this.#deadAfter / LIGHTS_PER_LIFE;
    const pause = this.#failure === null ? usual : usual / LIGHTS_PER_LIFE;
    this.#timer = setTimeout(() => {
      this.light().then(
        () => this.start(),
        () => this.start(),
      );
    }, pause).unref();
  }

  /** Puts it out, for an orderly end; that it fails costs others only the time until it is out. */
  async stop(): Promise<void> {
    this.#isOver = true;
    clearTimeout(this.#timer);
    if (this.#closed.aborted) return;
    const signal = AbortSignal.timeout(Math.ceil(this.#deadAfter / LIGHTS_PER_LIFE));
    await this.#beacons.douse(this.#id, { signal }).catch(() => {});
  }
}
