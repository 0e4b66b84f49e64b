/** Which of a key's slots are taken: each holder has one of its own. */
export class Slots {
  /** Slots below `#used` that are free again. */
  readonly #free: number[] = [];
  #used = 0;

  take(): number {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    this.#used += 1;
    return this.#used - 1;
  }

  /** Takes the slot that a holder had before a restart; lower ones are free until theirs take them again. */
  retake(slot: number): void {
    while (this.#used <= slot) {
      this.#free.push(this.#used);
      this.#used += 1;
    }
    this.#free.splice(this.#free.indexOf(slot), 1);
  }

  free(slot: number): void {
    this.#free.push(slot);
  }

  clear(): void {
    this.#free.length = 0;
    this.#used = 0;
  }
}
