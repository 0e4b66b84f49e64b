import { setTimeout as delay } from "node:timers/promises";

/** Longer than any lease here: who got nothing until then is stuck. */
const STUCK_AFTER_MS = 120_000;

/** Sees every hold of every client through both doors, and says what must not be. */
export class Referee {
  grants = 0;
  carried = 0;
  writes = 0;
  readonly faults: string[] = [];
  readonly #holders = new Map<string, string>();
  readonly #fences = new Map<string, number>();
  #served = new Set<string>();

  enter(key: string, who: string, fence: number | null): void {
    this.grants += 1;
    this.#served.add(who.replace(/-\d+$/, ""));
    const other = this.#holders.get(key);
    if (other !== undefined) this.fault(`two holders of ${key}: ${other} and ${who}`);
    this.#holders.set(key, who);
    const last = this.#fences.get(key) ?? 0;
    if (fence === null || fence <= last) this.fault(`the fence of ${key}: ${fence} after ${last}`);
    else this.#fences.set(key, fence);
  }

  leave(key: string, who: string): void {
    if (this.#holders.get(key) === who) this.#holders.delete(key);
  }

  lost(key: string, who: string, why: string): void {
    this.fault(`${who} was told that it lost ${key}: ${why}`);
    this.leave(key, who);
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
