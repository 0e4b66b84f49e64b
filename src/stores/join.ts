import type {
  ClaimRequest,
  Holding,
  JoinOptions,
  LinePlace,
  Progress,
  Store,
} from "../lock/store.ts";
import { NEVER, Readiness } from "../lock/time.ts";

/**
 * A place in line, made of a claim that is not ready yet: what `join` is in every store whose claims
 * know `ready`. It resolves when the store first tells how the claim stands.
 */
export async function joinLine(
  store: Pick<Store, "claim">,
  request: ClaimRequest,
  options: JoinOptions = {},
): Promise<LinePlace> {
  const place = new Place(store, request, options);
  await place.joined;
  return place;
}

class Place implements LinePlace {
  readonly key: string;
  /** Rejects where the claim fails before it stands in line. */
  readonly joined: Promise<unknown>;
  readonly #ready = new Readiness();
  readonly #left = new AbortController();
  readonly #lost = new AbortController();
  readonly #claimed: Promise<Holding>;
  #progress: Progress = { position: 1, waiting: 1, holders: [] };
  #onProgress: JoinOptions["onProgress"];
  #isTaken = false;

  constructor(store: Pick<Store, "claim">, request: ClaimRequest, options: JoinOptions) {
    const { signal = NEVER, onProgress } = options;
    this.key = request.key;
    this.#onProgress = onProgress;
    const stands = Promise.withResolvers<void>();
    this.#claimed = store.claim(request, {
      ready: this.#ready,
      signal: AbortSignal.any([signal, this.#left.signal]),
      onProgress: (progress) => {
        this.#progress = progress;
        stands.resolve();
        this.#onProgress?.(progress);
      },
    });
    // If the claim has its lock at once, there is no line to stand in.
    this.joined = Promise.race([stands.promise, this.#claimed]);
    this.#claimed.catch((error) => {
      if (!this.#isTaken) this.#lost.abort(error);
    });
  }

  get progress(): Progress {
    return this.#progress;
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  async take(options: Parameters<LinePlace["take"]>[0] = {}): Promise<Holding> {
    const { timeout = null, signal = NEVER, onProgress } = options;
    this.#isTaken = true;
    this.#onProgress = onProgress ?? this.#onProgress;
    const leave = () => this.#left.abort();
    if (signal.aborted) leave();
    signal.addEventListener("abort", leave, { once: true });
    this.#ready.declare(timeout);
    try {
      return await this.#claimed;
    } finally {
      signal.removeEventListener("abort", leave);
    }
  }

  async leave(): Promise<void> {
    const isTaken = this.#isTaken;
    this.#isTaken = true;
    this.#left.abort();
    const holding = await this.#claimed.catch(() => null);
    // A lock that was taken is its taker's to release.
    if (!isTaken) await holding?.release();
  }
}
