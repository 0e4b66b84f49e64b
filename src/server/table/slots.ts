import { firstAbove } from "../../lock/admission.ts";

/** Which of a key's slots are taken: each holder has its own, the lowest that were free. */
export class Slots {
  /** Slots below `#used` that are free again, the highest first, as negative numbers: so they are sorted. */
  readonly #free: number[] = [];
  #used = 0;

  /** Takes the lowest free slot that is not kept back. */
  take(keptBack: { has(slot: number): boolean }): number {
    for (let last = this.#free.length - 1; last >= 0; last--) {
      const slot = -(this.#free[last] as number);
      if (keptBack.has(slot)) continue;
      this.#free.splice(last, 1);
      return slot;
    }
    for (;;) {
      const slot = this.#used;
      this.#used += 1;
      if (!keptBack.has(slot)) return slot;
      this.free(slot);
    }
  }

  /** Takes the slot that a holder had before a restart; lower ones are free until theirs take them again. */
  retake(slot: number): void {
    while (this.#used <= slot) {
      this.free(this.#used);
      this.#used += 1;
    }
    this.#free.splice(firstAbove(this.#free, -slot) - 1, 1);
  }

  free(slot: number): void {
    this.#free.splice(firstAbove(this.#free, -slot), 0, -slot);
  }

  isTaken(slot: number): boolean {
    return slot < this.#used && this.#free[firstAbove(this.#free, -slot) - 1] !== -slot;
  }

  clear(): void {
    this.#free.length = 0;
    this.#used = 0;
  }
}
