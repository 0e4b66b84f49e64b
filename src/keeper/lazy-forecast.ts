import type { Forecast } from "../forecast/forecast.ts";
import { historyOf } from "../lock/history.ts";
import type { Progress, Store } from "../lock/store.ts";
import type { Wanted } from "./protocol.ts";

type Tell = (progress: Progress) => void;

/** Estimates are for those who wait: whoever gets the lock at once does not load the code for them. */
export class LazyForecast {
  readonly #load: () => Promise<Forecast>;
  readonly #tell: Tell;
  #forecast: Promise<Forecast | null> | null = null;
  #ended = false;

  constructor(store: Store, wanted: Wanted, tell: Tell) {
    this.#tell = tell;
    this.#load = async () => {
      const { Forecast } = await import("../forecast/forecast.ts");
      const history = wanted.history ? historyOf(store, wanted.request.key) : null;
      return new Forecast({ slots: wanted.request.slots ?? 1, history, onProgress: tell });
    };
  }

  readonly update = (progress: Progress): void => {
    // Who is ahead must be told also where nothing can be said about when.
    this.#forecast ??= this.#load().catch(() => null);
    void this.#forecast.then((forecast) => {
      if (this.#ended) return;
      if (forecast === null) this.#tell(progress);
      else forecast.update(progress);
    });
  };

  /** After this nothing is reported any more. */
  end(): void {
    this.#ended = true;
    void this.#forecast?.then((forecast) => forecast?.end());
  }
}
