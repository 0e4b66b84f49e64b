import type { ForgeRun } from "../../lock/store.ts";
import type { Alive } from "../document/life.ts";

/** The forge's API counts every question, and a run that is over is said to be so only later. */
const ASK_AGAIN_MS = 30_000;

/**
 * What a forge has answered about runs. Within a key's guard nothing may be waited for: there only
 * what is known counts, and the questions are asked outside.
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

  /** Asks where the last answer is old or missing. It does not throw. `signal`: of who waits for it. */
  ask(run: ForgeRun, signal: AbortSignal): boolean | null | Promise<boolean | null> {
    const name = nameOf(run);
    const last = this.#answers.get(name);
    const isFresh = last !== undefined && performance.now() - last.at < ASK_AGAIN_MS;
    // What is over stays over.
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
    // A question that was given up says nothing: the next one is asked again.
    if (!signal.aborted) this.#answers.set(name, { answer, at: performance.now() });
    this.#questions.delete(name);
    return answer;
  }
}

function nameOf({ api, repository, run, attempt }: ForgeRun): string {
  return JSON.stringify([api, repository, run, attempt]);
}
