import { isLockError } from "../../src/lock/errors.ts";
import type {
  ClaimOptions,
  ClaimRequest,
  Holding,
  ReleaseOutcome,
  Store,
} from "../../src/lock/store.ts";
import { type HistoryWriter, now } from "./event.ts";

/** A holding whose end is written into a history. */
export interface Witnessed {
  readonly holding: Holding;
  release(): Promise<ReleaseOutcome>;
}

export interface WitnessOptions extends ClaimOptions {
  readonly watchesLine?: boolean;
}

/** Claims as a store's user does, and writes into a history what this one process sees of it. */
export class Witness {
  readonly #store: Pick<Store, "claim">;
  readonly #history: HistoryWriter;
  readonly #process: string;

  constructor(store: Pick<Store, "claim">, history: HistoryWriter, process: string) {
    this.#store = store;
    this.#history = history;
    this.#process = process;
  }

  /**
   * `id` is the name of this claim in the history. Throws what the store throws. Without `watchesLine`
   * its place in line is not noted, and so nobody can be found to overtake it: a store of files looks
   * at the whole line to tell the place, which a run that goes for speed does only now and then.
   */
  async claim(
    id: string,
    request: ClaimRequest,
    { watchesLine = true, ...options }: WitnessOptions = {},
  ): Promise<Witnessed> {
    const { key, resources, slots = resources?.length ?? 1, priority = 0 } = request;
    const weight = request.weight === "all" ? slots : (request.weight ?? 1);
    const base = { process: this.#process, key, claim: id };
    const history = this.#history;
    let isInLine = false;
    history.write({ ...base, at: now(), event: "claim", slots, weight, priority });
    const onProgress: ClaimOptions["onProgress"] = (progress) => {
      if (progress.trouble !== undefined) history.write({ ...base, at: now(), event: "rejoined" });
      if (!isInLine) history.write({ ...base, at: now(), event: "joined" });
      isInLine = true;
      options.onProgress?.(progress);
    };
    const holding = await this.#store
      .claim(request, watchesLine ? { ...options, onProgress } : options)
      .catch((error) => {
        history.write({ ...base, at: now(), event: "gave-up" });
        throw error;
      });
    const { fence } = holding.lease;
    history.write({ ...base, at: now(), event: "granted", fence });
    const tell = () => history.write({ ...base, at: now(), event: "lost" });
    holding.lost.addEventListener("abort", tell);
    let isOver = false;
    return {
      holding,
      async release() {
        // One that is tried again after the store was away: the history has its end already.
        if (isOver) return holding.release();
        history.write({ ...base, at: now(), event: "release", fence });
        const answered = (outcome: ReleaseOutcome | "unknown") => {
          isOver = true;
          holding.lost.removeEventListener("abort", tell);
          history.write({ ...base, at: now(), event: "released", fence, outcome });
        };
        const outcome = await holding.release().catch((error: unknown) => {
          // The store ends the hold by itself, once it finds that nobody keeps it any more.
          if (isLockError(error, "STORE_UNREACHABLE")) answered("unknown");
          throw error;
        });
        answered(outcome);
        return outcome;
      },
    };
  }
}
