/** Where the time comes from. It is injected, so that tests and the model use their own clock. */
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
 * The longest time that a timer of Node's can run, in milliseconds, some 25 days. A longer timer fires
 * at once: use `Alarm`.
 */
export const TIMER_LIMIT_MS = 2 ** 31 - 1;

/** A timer for any length of time. A time beyond Node's limit is split into several stretches. */
export class Alarm {
  readonly #ring: () => void;
  readonly #limit: number;
  #timer: NodeJS.Timeout;

  /** `limit`: the longest stretch. Only tests set it, since nobody can wait for 25 days. */
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

/** Tells a claim that stands in line that it may take the lock now, and how long it waits from then on. */
export class Readiness {
  readonly #controller = new AbortController();
  #timeout: number | null = null;

  /** Fires when the claim is ready. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Milliseconds from then on; 0: take the lock now or not at all; null: without limit. */
  get timeout(): number | null {
    return this.#timeout;
  }

  /** The claim is ready. Only the first time counts. */
  declare(timeout: number | null): void {
    if (this.signal.aborted) return;
    this.#timeout = timeout;
    this.#controller.abort();
  }
}

/** The time of a claim: when it may take the lock, how long it waits from then on, and what ends it. */
export class Term {
  readonly #controller = new AbortController();
  readonly #sources: readonly AbortSignal[];
  readonly #ready: Readiness | undefined;
  readonly #asked: number | null | undefined;
  #limit: number | null;
  #endsAt: number | null = null;
  #alarm: Alarm | undefined;
  #timedOut = false;

  /** `sources`: signals that cancel the claim. */
  constructor(
    {
      timeout = null,
      asked,
      ready,
    }: {
      readonly timeout?: number | null;
      readonly asked?: number | null;
      readonly ready?: Readiness;
    },
    ...sources: readonly (AbortSignal | undefined)[]
  ) {
    this.#sources = sources.filter((source) => source !== undefined);
    this.#ready = ready;
    this.#asked = asked;
    this.#limit = timeout;
    for (const source of this.#sources) {
      if (source.aborted) this.#cancel();
      source.addEventListener("abort", this.#cancel);
    }
    if (this.isReady) this.#begin();
    else ready?.signal.addEventListener("abort", this.#begin, { once: true });
  }

  /** Fires when the claim is cancelled or its time is over. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get isCancelled(): boolean {
    return this.signal.aborted && !this.#timedOut;
  }

  /** The claim may take the lock. Until then it only stands in line. */
  get isReady(): boolean {
    return this.#ready?.signal.aborted ?? true;
  }

  /** Fires when the claim is ready; undefined where it was from the start. */
  get ready(): AbortSignal | undefined {
    return this.#ready?.signal;
  }

  /** Milliseconds that a ready claim waits; 0: not at all; null: without limit. */
  get limit(): number | null {
    return this.#limit;
  }

  /** The limit that the user gave, before some of it was used elsewhere. */
  get asked(): number | null {
    return this.#asked ?? this.#limit;
  }

  /** False: take the lock now or not at all. */
  get mayWait(): boolean {
    return !this.isReady || this.#limit !== 0;
  }

  /** By `performance.now`: when its time is over; null: never, or not yet known. */
  get endsAt(): number | null {
    return this.#endsAt;
  }

  clear(): void {
    this.#alarm?.cancel();
    for (const source of this.#sources) source.removeEventListener("abort", this.#cancel);
    this.#ready?.signal.removeEventListener("abort", this.#begin);
  }

  readonly #cancel = () => this.#controller.abort();

  readonly #begin = () => {
    if (this.#ready !== undefined) this.#limit = this.#ready.timeout;
    if (this.#limit === null) return;
    this.#endsAt = performance.now() + this.#limit;
    // A claim that takes the lock now or not at all ends by itself, after one look.
    if (this.#limit <= 0) return;
    this.#alarm = new Alarm(this.#limit, () => {
      this.#timedOut = !this.signal.aborted;
      this.#controller.abort();
    });
  };
}

/** A signal that never fires. */
export const NEVER: AbortSignal = new AbortController().signal;

/** The promise's own result, or a rejection with `late()` if it takes longer than `ms`. */
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

/** What is in this form already is not written anew: a document may have a hundred times. */
const USUAL_FORM = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** A time that others wrote, in the one form that ISO 8601 and JavaScript share; null if it has another form. */
export function readTime(value: unknown): string | null {
  if (typeof value !== "string") return null;
  const time = Date.parse(value);
  if (!(time >= 0 && time <= TIME_LIMIT_MS)) return null;
  return USUAL_FORM.test(value) ? value : new Date(time).toISOString();
}
