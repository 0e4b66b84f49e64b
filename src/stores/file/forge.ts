import type { ForgeRun } from "../../lock/store.ts";
import type { Alive } from "../document/life.ts";

/** How soon the forge is asked again: its API counts every question, and is late to say that a run is over. */
const ASK_AGAIN_MS = 30_000;

/**
 * What a forge has answered about runs. Nothing may be waited for within a key's guard: only what is known
 * counts there, and the questions are asked outside.
 */
export class ForgeAnswers {
  readonly #alive: Alive | undefined;
  readonly #answers = new Map<string, { answer: boolean | null; at: number }>();
  readonly #questions = new Map<string, Promise<boolean | null>>();

  constructor(alive: Alive | undefined) {
    this.#alive = alive;
  }

  /** Whether a run goes on, as far as is known; null: nobody was asked, or nobody knows. */
  known(run: ForgeRun): boolean | null {
    return this.#answers.get(nameOf(run))?.answer ?? null;
  }

  /** Asks if the last answer is old or missing. It does not throw. `signal`: the waiting caller's. */
  ask(run: ForgeRun, signal: AbortSignal): boolean | null | Promise<boolean | null> {
    const name = nameOf(run);
    const last = this.#answers.get(name);
    const isFresh = last !== undefined && performance.now() - last.at < ASK_AGAIN_MS;
    // A run that is over stays over.
    if (this.#alive === undefined || isFresh || last?.answer === false) return this.known(run);
    const asked = this.#questions.get(name) ?? this.#ask(name, run, this.#alive, signal);
    this.#questions.set(name, asked);
    return asked;
  }

  async #ask(
    name: string,
    run: ForgeRun,
    alive: Alive,
    signal: AbortSignal,
  ): Promise<boolean | null> {
    const answer = await alive({ kind: "run", ...run }, signal).catch(() => null);
    // A question that was given up says nothing: the next caller asks again.
    if (!signal.aborted) this.#answers.set(name, { answer, at: performance.now() });
    this.#questions.delete(name);
    return answer;
  }
}

function nameOf({ api, repository, run, attempt }: ForgeRun): string {
  return JSON.stringify([api, repository, run, attempt]);
}
