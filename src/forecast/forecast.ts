import type { Hold, ReadHistory } from "../lock/history.ts";
import type { Holder } from "../lock/status.ts";
import type { Progress } from "../lock/store.ts";
import { estimateTurn } from "./estimate.ts";
import { givenOut } from "./status.ts";

/** How long a report waits for the history: who is ahead is told at this time at the latest. */
const PATIENCE_MS = 1_000;

export interface ForecastOptions {
  readonly slots: number;
  /** How many of the slots the claim takes. Left out: 1. */
  readonly weight?: number;
  /**
   * Reads the history of the key that the claim waits for; the key is given if several are claimed.
   * Null: nothing is remembered, or no estimate is wanted.
   */
  readonly history: ReadHistory | null;
  readonly onProgress: (progress: Progress) => void;
}

/** One report, with the estimate that there is for it within a moment. */
export async function foretold(
  progress: Progress,
  options: Omit<ForecastOptions, "onProgress">,
): Promise<Progress> {
  const { promise, resolve } = Promise.withResolvers<Progress>();
  const forecast = new Forecast({ ...options, onProgress: resolve });
  forecast.update(progress);
  try {
    return await promise;
  } finally {
    forecast.end();
  }
}

/**
 * Adds to the reports of a waiting claim when its turn may come. The history is read when the claim
 * first has to wait, and again when the holders change, since then a hold has ended.
 */
export class Forecast {
  readonly #options: ForecastOptions;
  #holds: readonly Hold[] = [];
  #holders = "";
  #latest: Progress | null = null;
  readonly #arrivals = new Map<string, number>();
  #reading = 0;
  #timer: NodeJS.Timeout | undefined;
  #waits = false;
  #ended = false;

  constructor(options: ForecastOptions) {
    this.#options = options;
  }

  readonly update = (progress: Progress): void => {
    if (this.#ended) return;
    const before = this.#latest?.holders;
    this.#latest = progress;
    for (const { owner } of progress.holders) {
      const isNew = before !== undefined && !before.some((holder) => holder.owner === owner);
      if (isNew) this.#arrivals.set(owner, Date.now());
    }
    const holders = JSON.stringify([
      progress.key,
      ...progress.holders.map(({ owner, since }) => [owner, since]),
    ]);
    if (holders !== this.#holders && this.#options.history !== null) {
      this.#holders = holders;
      this.#read(this.#options.history, progress.key);
    }
    if (!this.#waits) this.#report();
  };

  /** After this nothing is reported any more: the lock is held, or the line is left. */
  end(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
  }

  #read(history: ReadHistory, key: string | undefined): void {
    const reading = ++this.#reading;
    this.#waits = true;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#goOn(), PATIENCE_MS);
    const take = (holds: readonly Hold[]) => {
      if (reading !== this.#reading) return;
      this.#holds = holds;
      if (this.#waits) this.#goOn();
    };
    // Without a history there is no estimate; waiting goes on.
    history(key).then(take, () => take([]));
  }

  #goOn(): void {
    clearTimeout(this.#timer);
    this.#waits = false;
    this.#report();
  }

  #report(): void {
    if (this.#latest === null || this.#ended) return;
    const { slots, weight = 1, onProgress } = this.#options;
    const { ahead, ...progress } = this.#latest;
    const now = Date.now();
    const holders = progress.holders.map((holder) => ({ ...holder, since: this.#since(holder) }));
    const { frozenSlots = [] } = progress;
    const open = givenOut({ slots, holders, frozenSlots });
    const question = { ...this.#latest, ...open, holds: this.#holds, weight, now };
    // Nobody knows when a freeze ends: it can be thawed, and it can be prolonged.
    const estimate = progress.frozen ? null : estimateTurn(question);
    onProgress({ ...progress, estimate });
  }

  /**
   * When a holder began. A foreign server does not tell, but a holder that came while this claim waited
   * began then.
   */
  #since({ owner, since }: Holder): string | null {
    if (since !== null) return since;
    const seen = this.#arrivals.get(owner);
    return seen === undefined ? null : new Date(seen).toISOString();
  }
}
