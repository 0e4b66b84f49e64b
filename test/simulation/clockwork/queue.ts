import type { Actor } from "./actor.ts";

/** Something that happens at a moment of simulated time. */
export interface Due {
  /** Milliseconds since the simulation began. */
  at: number;
  /** Breaks ties: what was planned first happens first. */
  order: number;
  /** In whose process it happens; null: outside of all of them, such as in the network. */
  readonly actor: Actor | null;
  /** Which kind of event it is, for the trace. */
  readonly kind: string;
  fire: () => void;
  isCancelled: boolean;
}

/** What is still to happen, the earliest first: a binary heap. */
export class Queue {
  readonly #heap: Due[] = [];

  get size(): number {
    return this.#heap.length;
  }

  push(due: Due): void {
    const heap = this.#heap;
    let place = heap.length;
    heap.push(due);
    while (place > 0) {
      const parent = (place - 1) >> 1;
      const above = heap[parent] as Due;
      if (isBefore(above, due)) break;
      heap[place] = above;
      place = parent;
    }
    heap[place] = due;
  }

  pop(): Due | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (heap.length > 0 && last !== undefined) this.#sink(last);
    return first;
  }

  #sink(due: Due): void {
    const heap = this.#heap;
    let place = 0;
    for (;;) {
      let child = place * 2 + 1;
      if (child >= heap.length) break;
      const right = heap[child + 1];
      if (right !== undefined && isBefore(right, heap[child] as Due)) child++;
      const below = heap[child] as Due;
      if (isBefore(due, below)) break;
      heap[place] = below;
      place = child;
    }
    heap[place] = due;
  }
}

function isBefore(one: Due, other: Due): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}
