import { isLockError } from "../../lock/errors.ts";
import type { Progress } from "../../lock/store.ts";

/** How often a waiting claim looks. The longer the line, the less often, to spare the server. */
const LOOK_MS = 1_000;
const LOOK_PER_WAITER_MS = 20;
/** Below the 23 s after which a server cuts off a silent connection. */
const LOOK_LIMIT_MS = 15_000;
/** One failed look may be chance, or a place that is just changing into a grant. */
const FAILURES_LIMIT = 2;

/**
 * Looks at the line while a claim stands in it, since the claim's own request is busy waiting. It reports the
 * place, and notices a server that forgot the claim.
 */
export abstract class Lookout<Answer> {
  readonly #onProgress: (progress: Progress) => void;
  #progress: Progress = { position: 1, waiting: 1, holders: [] };
  #timer: NodeJS.Timeout | undefined;
  /** Each time in line has its own signal: an answer to an earlier one says nothing about this one. */
  #round = 0;
  #failures = 0;
  #absences = 0;

  constructor(onProgress: (progress: Progress) => void) {
    this.#onProgress = onProgress;
  }

  /** One look. */
  protected abstract ask(): Promise<Answer>;

  /** Tells what was seen. Gives the milliseconds to the next look; null: the usual time. */
  protected abstract absorb(answer: Answer): number | null;

  /** Says why waiting is unusual, with what was last known. */
  report(trouble: string): void {
    this.#onProgress({ ...this.#progress, trouble });
  }

  stop(): void {
    this.#round += 1;
    clearTimeout(this.#timer);
  }

  protected get progress(): Progress {
    return this.#progress;
  }

  /** Begins a time in line; `pause`: milliseconds to the first look. */
  protected begin(pause = this.#usualPause): void {
    this.#round += 1;
    this.#lookLater(pause);
  }

  protected tell(progress: Progress): void {
    this.#progress = progress;
    this.#absences = 0;
    this.#onProgress(progress);
  }

  /** How many looks in a row have not found the claim, with this one. */
  protected get absences(): number {
    return this.#absences;
  }

  /** The claim is not in the line. True: it was missing so often that the server must have forgotten it. */
  protected isAbsent(isHolder: boolean): boolean {
    this.#absences = isHolder ? 0 : this.#absences + 1;
    return this.#absences >= FAILURES_LIMIT;
  }

  protected wasForgotten(): void {
    this.#absences = 0;
  }

  get #usualPause(): number {
    const pause = Math.max(LOOK_MS, this.#progress.waiting * LOOK_PER_WAITER_MS);
    return Math.min(pause, LOOK_LIMIT_MS);
  }

  #lookLater(pause: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#look(this.#round), pause);
  }

  async #look(round: number): Promise<void> {
    let pause: number | null = null;
    try {
      const answer = await this.ask();
      if (round !== this.#round) return;
      pause = this.absorb(answer);
      this.#failures = 0;
    } catch (error) {
      if (round !== this.#round) return;
      this.#failures += 1;
      if (this.#failures >= FAILURES_LIMIT && isLockError(error)) {
        this.report(error.message.replace(/\.$/, ""));
      }
    }
    // What was told may have ended the wait.
    if (round === this.#round) {
      this.#lookLater(Math.min(pause ?? Number.POSITIVE_INFINITY, this.#usualPause));
    }
  }
}
