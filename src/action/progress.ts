import type { Forecast } from "../forecast/forecast.ts";
import { pictureOf, waitingInLine } from "../forecast/words.ts";
import type { Estimate } from "../lock/history.ts";
import type { Progress } from "../lock/store.ts";
import type { Recall } from "./cache/client.ts";
import type { Ahead } from "./state.ts";

/** Where nothing changes, a line comes at least this often. */
const REPEAT_MS = 30_000;

/** One line when something changes, and one every 30 s; not one a second. */
export class ProgressLines {
  readonly #write: (line: string) => void;
  #last = "";
  #lastAt = 0;

  constructor(write: (line: string) => void) {
    this.#write = write;
  }

  show(key: string, progress: Progress, now = Date.now()): void {
    const picture = pictureOf(progress);
    if (picture === this.#last && now - this.#lastAt < REPEAT_MS) return;
    this.#last = picture;
    this.#lastAt = now;
    this.#write(`holdfast: ${waitingInLine(key, progress, now)}`);
  }
}

/** What a job learns while it waits: told line by line, and kept for the summary. */
export class Wait {
  readonly #key: string;
  readonly #lines: ProgressLines;
  readonly #ahead = new Map<string, Ahead>();
  #expected: Estimate | null = null;
  #forecast: Forecast | null = null;
  #memory: Recall | null = null;

  constructor(key: string, write: (line: string) => void) {
    this.#key = key;
    this.#lines = new ProgressLines(write);
  }

  /** From here on the turns come from a memory, which is asked once there is something to wait for. */
  recall(memory: Recall, forecastOf: (onProgress: (progress: Progress) => void) => Forecast): void {
    this.#memory = memory;
    this.#forecast = forecastOf(this.#note);
  }

  readonly update = (progress: Progress): void => {
    if (this.#forecast === null) this.#note(progress);
    else this.#forecast.update(progress);
  };

  /** The wait is over: nothing more is told, and nobody is asked any more. */
  end(): void {
    this.#forecast?.end();
    this.#memory?.end();
  }

  readonly #note = (progress: Progress): void => {
    for (const { owner, since, fence } of progress.holders) {
      this.#ahead.set(`${owner} ${since}`, { owner, since, fence });
    }
    this.#expected ??= progress.estimate ?? null;
    this.#lines.show(this.#key, progress);
  };

  seen(): { ahead: readonly Ahead[]; expected: Pick<Estimate, "lower" | "upper"> | null } {
    const expected = this.#expected;
    return {
      ahead: [...this.#ahead.values()],
      expected: expected === null ? null : { lower: expected.lower, upper: expected.upper },
    };
  }
}
