/** A clock is where the time comes from. It is injected, so that tests and the model bring their own. */
export interface Clock {
  /** Wall-clock milliseconds. Good for people and for files; it may jump. */
  now(): number;
  /** Milliseconds that only grow, the same for all processes since the machine's boot. */
  monotonic(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => Number(process.hrtime.bigint() / 1_000n) / 1_000,
};

/**
 * The longest that a timer of Node's can run, in milliseconds, some 25 days. One that is asked to run
 * longer fires at once: use `Alarm`.
 */
export const TIMER_LIMIT_MS = 2 ** 31 - 1;

/** A timer for any length of time. One that is beyond Node's own goes in several stretches. */
export class Alarm {
  readonly #ring: () => void;
  readonly #limit: number;
  #timer: NodeJS.Timeout;

  /** `limit`: the longest stretch. Only tests name another, since nobody can wait for 25 days. */
  constructor(milliseconds: number, ring: () => void, limit = TIMER_LIMIT_MS) {
    this.#ring = ring;
    this.#limit = limit;
    this.#timer = this.#start(milliseconds);
  }

  cancel(): void {
    clearTimeout(this.#timer);
  }

  #start(milliseconds: number): NodeJS.Timeout {
    if (milliseconds <= this.#limit) return setTimeout(this.#ring, Math.ceil(milliseconds));
    return setTimeout(() => {
      this.#timer = this.#start(milliseconds - this.#limit);
    }, this.#limit);
  }
}

/** A signal that fires when the caller's signal does or the time is over, and can tell which. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #source: AbortSignal | undefined;
  readonly #alarm: Alarm | undefined;
  timedOut = false;

  constructor(timeout: number | null, source?: AbortSignal) {
    this.#source = source;
    if (source?.aborted) this.#controller.abort();
    source?.addEventListener("abort", this.#onAbort);
    if (timeout === null || timeout <= 0) return;
    this.#alarm = new Alarm(timeout, () => {
      this.timedOut = true;
      this.#controller.abort();
    });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  clear(): void {
    this.#alarm?.cancel();
    this.#source?.removeEventListener("abort", this.#onAbort);
  }

  readonly #onAbort = () => this.#controller.abort();
}

/** The signal of who cannot be cancelled, where one is asked for. */
export const NEVER: AbortSignal = new AbortController().signal;

/** The promise's own result, or a rejection with `late()` when it takes longer than `ms`. */
export async function within<T>(promise: Promise<T>, ms: number, late: () => Error): Promise<T> {
  const overdue = Promise.withResolvers<never>();
  const alarm = new Alarm(ms, () => overdue.reject(late()));
  try {
    return await Promise.race([promise, overdue.promise]);
  } finally {
    alarm.cancel();
  }
}

/**
 * The highest fence that is believed where others may have written it: above it is room for 10^12
 * grants, so that the next one is always a safe integer.
 */
export const FENCE_LIMIT = Number.MAX_SAFE_INTEGER - 2 ** 40;

/**
 * The next fencing number: `max(last + 1, now in microseconds)`. Because it follows the clock, it
 * also grows when the store's memory of `last` was wiped, restored from a backup or moved; because
 * of `last + 1`, it also grows when the clock went back. A safe integer until the year 2255.
 */
export function nextFence(last: number | null, nowMs: number): number {
  const byClock = Math.floor(nowMs) * 1_000;
  return last === null ? byClock : Math.max(last + 1, byClock);
}

/** The last moment that every reader of a date knows: the end of the year 9999. */
const TIME_LIMIT_MS = 253_402_300_799_999;

/** A time that others wrote, in the one form that ISO 8601 and JavaScript share; null: it is none. */
export function readTime(value: unknown): string | null {
  const time = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return time >= 0 && time <= TIME_LIMIT_MS ? new Date(time).toISOString() : null;
}
