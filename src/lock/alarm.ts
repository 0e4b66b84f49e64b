import { TIMER_LIMIT_MS } from "./timers.ts";

/** A timer for any length of time; one that is beyond Node's own goes in several stretches. */
export class Alarm {
  readonly #ring: () => void;
  #timer: NodeJS.Timeout;

  constructor(milliseconds: number, ring: () => void) {
    this.#ring = ring;
    this.#timer = this.#start(milliseconds);
  }

  cancel(): void {
    clearTimeout(this.#timer);
  }

  #start(milliseconds: number): NodeJS.Timeout {
    if (milliseconds <= TIMER_LIMIT_MS) return setTimeout(this.#ring, milliseconds);
    return setTimeout(() => {
      this.#timer = this.#start(milliseconds - TIMER_LIMIT_MS);
    }, TIMER_LIMIT_MS);
  }
}
