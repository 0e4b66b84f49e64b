import { TIMER_LIMIT_MS } from "./timers.ts";

/** A signal that fires when the caller's signal does or the time is over, and can tell which. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #source: AbortSignal | undefined;
  #timer: NodeJS.Timeout | undefined;
  timedOut = false;

  constructor(timeout: number | null, source?: AbortSignal) {
    this.#source = source;
    if (source?.aborted) this.#controller.abort();
    source?.addEventListener("abort", this.#onAbort);
    if (timeout !== null && timeout > 0) this.#arm(performance.now() + timeout);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#source?.removeEventListener("abort", this.#onAbort);
  }

  readonly #onAbort = () => this.#controller.abort();

  #arm(end: number): void {
    const left = end - performance.now();
    if (left <= 0) {
      this.timedOut = true;
      this.#controller.abort();
      return;
    }
    this.#timer = setTimeout(() => this.#arm(end), Math.min(Math.ceil(left), TIMER_LIMIT_MS));
  }
}
