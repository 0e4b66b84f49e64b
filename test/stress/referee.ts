import type { Entry } from "./journal.ts";

/** A process that was killed while it held: it may still be seen to act for some microseconds. */
interface Dying {
  readonly fence: number | null;
  /** How many others held at once since it was killed. */
  peak: number;
}

/**
 * Judges a journal: never more than `slots` sections (from a process's enter to its leave) at once,
 * and fences that grow. It stands outside the store and its processes and knows neither.
 *
 * It misses no overlap of sections: a journal's order is that of its writes. It invents none when a
 * process is killed: the killing is noted before the kill, so the next holder comes after it. And
 * a killed process that still writes after its heir entered is an overlap too.
 */
export class Referee {
  readonly overlaps: string[] = [];
  /** Fences that did not grow, and entries that make no sense. */
  readonly faults: string[] = [];
  readonly waits: number[] = [];
  readonly #slots: number;
  readonly #holders = new Map<string, number | null>();
  readonly #dying = new Map<string, Dying>();
  readonly #killed = new Set<string>();
  readonly #fences = new Set<number>();
  #lastFence = 0;

  constructor(slots: number) {
    this.#slots = slots;
  }

  get acquisitions(): number {
    return this.waits.length;
  }

  /** Who holds now, as far as the journal tells. */
  get holders(): string[] {
    return [...this.#holders.keys()];
  }

  judge(entry: Entry): void {
    if (entry.kind === "enter") this.#enter(entry.name, entry.fence, entry.wait);
    else if (entry.kind === "leave") this.#leave(entry.name, entry.fence);
    else if (entry.kind === "killing") this.#killing(entry.name);
    else if (entry.kind === "ended") this.#ended(entry.name);
  }

  #enter(name: string, fence: number | null, wait: number): void {
    this.waits.push(wait);
    if (this.#holders.has(name)) this.faults.push(`${name} entered twice`);
    this.#act(name);
    this.#holders.set(name, fence);
    if (this.#holders.size > this.#slots) {
      const all = [...this.#holders].map(([who, number]) => `${who} (${number})`);
      this.overlaps.push(`${this.#holders.size} at once: ${all.join(", ")}`);
    }
    for (const dying of this.#dying.values()) {
      dying.peak = Math.max(dying.peak, this.#holders.size);
    }
    if (fence !== null) this.#checkFence(name, fence);
    // Killed between its grant and this line: from here on it is one more of the dying.
    if (this.#killed.has(name)) this.#killing(name);
  }

  #leave(name: string, fence: number | null): void {
    this.#act(name);
    const dying = this.#dying.get(name);
    const entered = this.#holders.get(name) ?? dying?.fence;
    if (entered === undefined) this.faults.push(`${name} left without having entered`);
    else if (entered !== fence) this.faults.push(`${name} entered with ${entered}, left ${fence}`);
    this.#holders.delete(name);
    this.#dying.delete(name);
  }

  /** A sign that a killed process still ran: then its section overlapped with those of its heirs. */
  #act(name: string): void {
    const dying = this.#dying.get(name);
    if (dying !== undefined && dying.peak + 1 > this.#slots) {
      this.overlaps.push(`${name} (${dying.fence}) still acted after its heir had entered`);
    }
  }

  #killing(name: string): void {
    this.#killed.add(name);
    const fence = this.#holders.get(name);
    if (fence === undefined) return;
    this.#holders.delete(name);
    this.#dying.set(name, { fence, peak: this.#holders.size });
  }

  #ended(name: string): void {
    if (this.#holders.has(name)) this.faults.push(`${name} ended by itself while it held`);
    this.#holders.delete(name);
    this.#dying.delete(name);
    this.#killed.delete(name);
  }

  /** With one slot the order of entering is that of the grants; with several it need not be. */
  #checkFence(name: string, fence: number): void {
    if (this.#slots === 1) {
      if (fence <= this.#lastFence) {
        this.faults.push(`${name} got the fence ${fence} after ${this.#lastFence}`);
      }
      this.#lastFence = fence;
      return;
    }
    if (this.#fences.has(fence)) this.faults.push(`${name} got the fence ${fence} a second time`);
    this.#fences.add(fence);
  }
}
