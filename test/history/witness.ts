import { setTimeout as delay } from "node:timers/promises";
import { isLockError } from "../../src/lock/errors.ts";
import type {
  ClaimOptions,
  ClaimRequest,
  Holding,
  ReleaseOutcome,
  Store,
} from "../../src/lock/store.ts";
import { type ClaimEvent, type HistoryWriter, now } from "./event.ts";

/** A holding whose end is written into a history. */
export interface Witnessed {
  readonly holding: Holding;
  release(): Promise<ReleaseOutcome>;
}

export interface WitnessOptions extends Omit<ClaimOptions, "ready"> {
  readonly watchesLine?: boolean;
  /** Milliseconds for which it stands in line before it is ready. Its owner has to be its own. */
  readonly early?: number;
}

/** What a witness needs of a store; `join` and `inspect` for claims that are not ready at once. */
type Witnessable = Pick<Store, "claim"> & Partial<Pick<Store, "join" | "inspect">>;

/** How often it is looked whether others can see that a claim is ready. */
const LOOK_MS = 20;

/** Claims as a store's user does, and writes into a history what this one process sees of it. */
export class Witness {
  readonly #store: Witnessable;
  readonly #history: HistoryWriter;
  readonly #process: string;

  constructor(store: Witnessable, history: HistoryWriter, process: string) {
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
    { watchesLine = true, early, ...options }: WitnessOptions = {},
  ): Promise<Witnessed> {
    const { key, resources, slots = resources?.length ?? 1, priority = 0 } = request;
    const weight = request.weight === "all" ? slots : (request.weight ?? 1);
    const base = { process: this.#process, key, claim: id };
    const history = this.#history;
    let isInLine = false;
    const ready = early === undefined;
    history.write({ ...base, at: now(), event: "claim", slots, weight, priority, ready });
    const onProgress: ClaimOptions["onProgress"] = (progress) => {
      if (progress.trouble !== undefined) history.write({ ...base, at: now(), event: "rejoined" });
      if (!isInLine) history.write({ ...base, at: now(), event: "joined" });
      isInLine = true;
      options.onProgress?.(progress);
    };
    const heard = watchesLine ? { ...options, onProgress } : options;
    const claimed =
      early === undefined
        ? this.#store.claim(request, heard)
        : this.#joinEarly(request, heard, early, base);
    const holding = await claimed.catch((error) => {
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

  /** Stands in line for a while, and takes the lock from there. */
  async #joinEarly(
    request: ClaimRequest,
    options: ClaimOptions,
    early: number,
    base: Pick<ClaimEvent, "process" | "key" | "claim">,
  ): Promise<Holding> {
    const place = await this.#store.join?.(request, options);
    if (place === undefined) throw new Error("the store has no places in line");
    await delay(early);
    this.#history.write({ ...base, at: now(), event: "ready" });
    const taken = place.take(options);
    let isWaiting = true;
    const settled = taken.finally(() => {
      isWaiting = false;
    });
    settled.catch(() => {});
    // When its readiness is in force nobody tells it; but everybody can see it.
    for (let isSeen = false; isWaiting && !isSeen; await Promise.race([delay(LOOK_MS), settled])) {
      const status = await this.#store.inspect?.(request.key).catch(() => undefined);
      isSeen =
        status?.waiters.some(({ owner, ready }) => ready && owner === request.owner.id) === true;
      if (isSeen && isWaiting) this.#history.write({ ...base, at: now(), event: "stands" });
    }
    return settled;
  }
}
