import { setTimeout as delay } from "node:timers/promises";

/** Longer than any lease here: who got nothing until then is stuck. */
const STUCK_AFTER_MS = 120_000;

/** Counts what the clients of a run did, and says what the checker of histories does not look for. */
export class Referee {
  grants = 0;
  carried = 0;
  writes = 0;
  readonly faults: string[] = [];
  #served = new Set<string>();

  /** One more hold has begun. */
  served(who: string): void {
    this.grants += 1;
    this.#served.add(who);
  }

  fault(sentence: string): void {
    this.faults.push(sentence);
  }

  async untilEverybodyWasServed(count: number): Promise<void> {
    this.#served = new Set();
    const start = performance.now();
    while (this.#served.size < count) {
      if (performance.now() - start > STUCK_AFTER_MS) {
        this.fault(`only ${[...this.#served].join(", ")} got in after the last restart`);
        return;
      }
      await delay(50);
    }
  }
}
