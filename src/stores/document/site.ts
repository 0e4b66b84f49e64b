import { LockError } from "../../lock/errors.ts";
import { type Clock, systemClock } from "../../lock/time.ts";
import type { Register } from "../engines/register.ts";
import { perform } from "../steps.ts";
import type { Alive, Life } from "./life.ts";
import { Cancelled } from "./protocol/swap.ts";
import type { Steps } from "./protocol/world.ts";
import { RegisterWorld, type WorldOptions } from "./register-world.ts";
import { ENGINE_TIMING, TIMING, type Timing } from "./timing.ts";

/** What a document store may be told beyond its register. */
export interface DocumentOptions {
  /** What the holds' lives hang on. Default: a session where the engine has signs of life, else a heartbeat. */
  readonly life?: Life;
  /** Asks the forge whether a job or a run lives. Default: nothing is known. */
  readonly alive?: Alive;
  /** Only for tests: shorter times. */
  readonly timing?: Partial<Timing>;
  readonly clock?: Clock;
  /** One sentence for the log: the register is away, or is rate-limiting requests. */
  readonly onTrouble?: (sentence: string) => void;
}

/** In whose name steps are run, whether a change of the document ends that session, and what cancels them. */
type InSession = Pick<WorldOptions, "session" | "ends" | "signal">;

/** The same sentence is told again only after so long, in milliseconds. */
const REPEAT_MS = 30_000;

/** What all parts of one open store share. */
export class Site {
  readonly register: Register;
  readonly timing: Timing;
  readonly clock: Clock;
  readonly life: Life | undefined;
  readonly #alive: Alive;
  readonly #onTrouble: ((sentence: string) => void) | undefined;
  readonly #closing = new AbortController();
  readonly #closed = new AbortController();
  #isAway = false;
  readonly #later = new Set<Promise<unknown>>();

  constructor(register: Register, options: DocumentOptions) {
    this.register = register;
    const usual = register.traits.push ? { ...TIMING, ...ENGINE_TIMING } : TIMING;
    this.timing = { ...usual, ...options.timing };
    this.clock = options.clock ?? systemClock;
    this.life = options.life;
    this.#alive = options.alive ?? (async () => null);
    this.#onTrouble = options.onTrouble && sparingly(options.onTrouble);
  }

  get url(): string {
    return this.register.url;
  }

  /** Claims that still wait have to leave their lines. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  world(
    key: string,
    options: Pick<
      WorldOptions,
      "patience" | "isLook" | "listed" | "signal" | "ready" | "onStanding" | "session" | "ends"
    >,
  ): RegisterWorld {
    return new RegisterWorld({
      key,
      register: this.register,
      timing: this.timing,
      clock: this.clock,
      alive: this.#alive,
      closed: this.closed,
      onAway: (isAway) => this.#seemsAway(isAway),
      ...(this.#onTrouble === undefined ? {} : { onTrouble: this.#onTrouble }),
      ...options,
    });
  }

  /** Runs steps; a register that is away is tried again for `patience` milliseconds. */
  run<T>(key: string, patience: number, steps: Steps<T>, own: InSession = {}): Promise<T> {
    return this.explained(perform(this.world(key, { patience, ...own }), steps));
  }

  /** Turns every failure into a LockError, also if the store is closed during a call. */
  async explained<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (!(error instanceof Cancelled)) throw error;
      throw new LockError("ABORTED", `The store ${this.url} was closed.`, { cause: error });
    }
  }

  /** One sentence for the log. */
  tell(sentence: string): void {
    this.#onTrouble?.(sentence);
  }

  /** The end of an outage is told in one line, whichever claim was the first to meet the outage or its end. */
  #seemsAway(isAway: boolean): void {
    if (this.#isAway && !isAway) this.tell(`The store ${this.url} is reachable again.`);
    this.#isAway = isAway;
  }

  /** Something that has to finish before the register is closed. Nobody else waits for it. */
  finishBeforeClose(work: Promise<unknown>): void {
    const done = work.catch(() => {}).finally(() => this.#later.delete(done));
    this.#later.add(done);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    while (this.#later.size > 0) await Promise.all(this.#later);
    this.#closed.abort();
    await this.register.close();
  }
}

/**
 * Tells a sentence once, and again if it is still true after a while, since what fails is tried often. A time in
 * it that changes with each attempt makes it no other sentence.
 */
function sparingly(tell: (sentence: string) => void): (sentence: string) => void {
  let last = "";
  let lastAt = 0;
  return (sentence) => {
    const now = performance.now();
    const words = sentence.replace(/\d+(?:ms|[smhd])\b/g, "");
    if (words === last && now - lastAt < REPEAT_MS) return;
    last = words;
    lastAt = now;
    tell(sentence);
  };
}
