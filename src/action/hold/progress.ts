import { Forecast, foretold } from "../../forecast/forecast.ts";
import { isUnforeseeable, rangeOf } from "../../forecast/turn.ts";
import {
  joinedInLine,
  pictureOf,
  runUrlOf,
  type Self,
  waitingInLine,
} from "../../forecast/words.ts";
import { whoIs } from "../../lock/people/who.ts";
import type { Freeze } from "../../lock/status.ts";
import type { Progress } from "../../lock/store.ts";
import { shellWord } from "../../lock/text.ts";
import type { Recall } from "../cache/client.ts";
import type { Ahead } from "../state.ts";

/** If nothing changes, a line is still written this often. */
const REPEAT_MS = 30_000;

export interface WaitOptions {
  readonly key: string;
  readonly slots: number;
  /** How many of them this job takes. */
  readonly weight: number;
  /** Milliseconds that the job is ready to wait; null without limit. */
  readonly timeout: number | null;
  /** The store's address, for those who want to look there. */
  readonly store: string;
  /** The history in the cache. If there is one, turns are estimated here, since the keeper does not have it. */
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
  readonly #startedAt = Date.now();
  #troubledSince: number | null = null;
  #expected: string | null = null;
  #frozen: Freeze | null = null;
  #last = "";
  #lastAt = 0;

  constructor(options: WaitOptions) {
    this.#options = options;
    const { slots, weight, memory } = options;
    this.#forecast =
      memory && new Forecast({ slots, weight, history: memory.restore, onProgress: this.#note });
  }

  readonly update = (progress: Progress): void => {
    if (this.#forecast === null) this.#note(progress);
    else this.#forecast.update(progress);
  };

  /** Writes a line about each key, of a job that has joined the line and is to take the lock later. */
  async joined(places: readonly Progress[]): Promise<void> {
    const { key, slots, weight, memory, write } = this.#options;
    for (const place of places) {
      const known =
        memory === null ? place : await foretold(place, { slots, weight, history: memory.restore });
      write(
        `holdfast: this job ${joinedInLine(key, known, Date.now(), "takes the lock at the step")}`,
      );
    }
  }

  /** After this nothing more is written, and the cache is not asked any more. */
  end(): void {
    this.#forecast?.end();
    this.#options.memory?.end();
  }

  /** What the summary tells of the wait. */
  seen() {
    return {
      ahead: [...this.#ahead.values()],
      expected: this.#expected,
      frozen: this.#frozen,
    };
  }

  readonly #note = (progress: Progress): void => {
    for (const holder of progress.holders) {
      const { owner, since, fence } = holder;
      const known = { name: whoIs(holder), url: runUrlOf(holder) };
      this.#ahead.set(`${owner} ${since}`, { owner, since, fence, ...known });
    }
    this.#frozen = progress.frozen ?? this.#frozen;
    const now = Date.now();
    this.#expected ??= toldRange(progress, now);
    this.#troubledSince = progress.trouble === undefined ? null : (this.#troubledSince ?? now);
    const picture = pictureOf(progress);
    if (picture === this.#last && now - this.#lastAt < REPEAT_MS) return;
    this.#last = picture;
    this.#lastAt = now;
    const { key, write } = this.#options;
    write(`holdfast: ${waitingInLine(key, progress, now, this.#self(progress.key ?? key, now))}`);
  };

  /** What the claim knows about itself. */
  #self(key: string, now: number): Self {
    const { timeout: limit, store } = this.#options;
    const look = `holdfast status ${shellWord(key)} --store ${shellWord(store)}`;
    const troubled = this.#troubledSince === null ? 0 : now - this.#troubledSince;
    return { waited: now - this.#startedAt, limit, troubled, look };
  }
}

/** The turn that a waiting line tells, without what makes it uncertain; null where it tells none. */
function toldRange(progress: Progress, now: number): string | null {
  const { estimate, trouble, frozen } = progress;
  const isTold = trouble === undefined && frozen == null && !isUnforeseeable(progress, now);
  return estimate != null && isTold ? rangeOf(estimate) : null;
}
