/** Node's timers fire at once when asked to wait longer than this. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

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
    if (milliseconds <= LONGEST_TIMER_MS) return setTimeout(this.#ring, milliseconds);
    return setTimeout(() => {
      this.#timer = this.#start(milliseconds - LONGEST_TIMER_MS);
    }, LONGEST_TIMER_MS);
  }
}
