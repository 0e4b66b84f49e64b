import { Forecast } from "../forecast/forecast.ts";
import { pictureOf, waitingInLine } from "../forecast/words.ts";
import type { Estimate } from "../lock/history.ts";
import type { Progress } from "../lock/store.ts";
import type { Recall } from "./cache/client.ts";
import type { Ahead } from "./state.ts";

/** Where nothing changes, a line comes at least this often. */
const REPEAT_MS = 30_000;

export interface WaitOptions {
  readonly key: string;
  readonly slots: number;
  /** The memory in the cache. Where there is one, the turns are estimated here: the keeper knows of none. */
  readonly memory: Recall | null;
  readonly write: (line: string) => void;
}

/**
 * What a job learns while it waits. It writes one line when something changes and one every 30 s,
 * and keeps for the summary who was ahead.
 */
export class Wait {
  readonly #options: WaitOptions;
  readonly #forecast: Forecast | null;
  readonly #ahead = new Map<string, Ahead>();
  #expected: Estimate | null = null;
  #last = "";
  #lastAt = 0;

  constructor(options: WaitOptions) {
    this.#options = options;
    const { slots, memory } = options;
    this.#forecast =
      memory && new Forecast({ slots, history: memory.restore, onProgress: this.#note });
  }

  readonly update = (progress: Progress): void => {
    if (this.#forecast === null) this.#note(progress);
    else this.#forecast.update(progress);
  };

  /** After this nothing more is written, and the memory is not asked any more. */
  end(): void {
    this.#forecast?.end();
    this.#options.memory?.end();
  }

  seen(): { ahead: readonly Ahead[]; expected: Pick<Estimate, "lower" | "upper"> | null } {
    const expected = this.#expected;
    return {
      ahead: [...this.#ahead.values()],
      expected: expected === null ? null : { lower: expected.lower, upper: expected.upper },
    };
  }

  readonly #note = (progress: Progress): void => {
    for (const { owner, since, fence } of progress.holders) {
      this.#ahead.set(`${owner} ${since}`, { owner, since, fence });
    }
    this.#expected ??= progress.estimate ?? null;
    const now = Date.now();
    const picture = pictureOf(progress);
    if (picture === this.#last && now - this.#lastAt < REPEAT_MS) return;
    this.#last = picture;
    this.#lastAt = now;
    this.#options.write(`holdfast: ${waitingInLine(this.#options.key, progress, now)}`);
  };
}
