/**
 * Who enters next: the one rule by which every store serves a key's line. Pure.
 *
 * A claim takes `weight` of the key's slots. The weights of those that hold never exceed the slots. A
 * higher priority is served first; within a priority the order is that of arrival. A claim that does
 * not fit is waited for, and nobody enters past it, however light: so the heavy do not starve. A claim
 * that is not ready is passed and keeps its place. After PASSES_LIMIT later claims a claim that is
 * ready is passed no more, whatever the priorities: so the low do not starve either.
 */

import { firstAbove } from "./sorted.ts";

/** A claim in line, as far as its turn depends on it. */
export interface InLine {
  /** How many slots it takes. */
  readonly weight: number;
  readonly priority: number;
  /** How many claims that came later were served while it stood in line and was ready. */
  readonly passed: number;
  /** It would take the lock now. One that is not ready only keeps its place. */
  readonly ready: boolean;
}

/** So many later claims are served before a waiting one; then it goes first. */
export const PASSES_LIMIT = 10;

/** A claim as most are: of weight 1, with no priority. */
export const PLAIN: InLine = { weight: 1, priority: 0, passed: 0, ready: true };

/** Whether nothing but its arrival says when a claim that is ready is served. */
export function isPlain({ weight, priority }: Pick<InLine, "weight" | "priority">): boolean {
  return weight === PLAIN.weight && priority === PLAIN.priority;
}

/**
 * Finds the claim that is served next, whether it fits or not: the earliest ready one of the priority
 * whose turn it is. That is the highest one, or that of the first claim which may not be passed any
 * more. So no claim is ever passed by a later one of its own priority.
 */
export function nextServed<T extends InLine>(line: Iterable<T>): T | null {
  /** The earliest ready claim of each priority. */
  const first = new Map<number, T>();
  let highest: T | null = null;
  for (const claim of line) {
    if (!claim.ready) continue;
    const { priority } = claim;
    if (!first.has(priority)) first.set(priority, claim);
    if (claim.passed >= PASSES_LIMIT) return first.get(priority) ?? claim;
    if (highest === null || priority > highest.priority) highest = claim;
  }
  return highest;
}

/**
 * Finds who may enter now, as places in line (from 0, by arrival) in the order in which they enter.
 * `free`: the slots that are neither held nor frozen.
 */
export function admit(free: number, line: readonly InLine[]): number[] {
  const entering: number[] = [];
  const left = new Left(line);
  for (let room = free; room > 0; ) {
    const place = left.next();
    const weight = line[place]?.weight ?? Number.POSITIVE_INFINITY;
    if (weight > room) break;
    room -= weight;
    entering.push(place);
    left.serve(place);
  }
  return entering;
}

/**
 * The ready claims of a line that are not served yet, as places. It gives what `nextServed` would, over
 * a whole line: since each claim is passed a few times only, all of that takes hardly longer than to
 * read the line.
 */
class Left {
  readonly #passed: number[];
  readonly #priorities: number[];
  /** The places of each priority by arrival, and of each list where its first one stands that is left. */
  readonly #places = new Map<number, { readonly all: number[]; first: number }>();
  readonly #line: readonly InLine[];
  /** Places of those that may not be passed any more, by arrival. */
  readonly #due: number[] = [];
  /** From each place the next one that is left; of the first one from the end. */
  readonly #after: number[];
  readonly #before: number[];

  constructor(line: readonly InLine[]) {
    this.#line = line;
    this.#passed = line.map(({ passed }) => passed);
    this.#after = line.map((_, place) => place + 1);
    this.#after.push(0);
    this.#before = this.#after.map((_, place) => place - 1);
    this.#before[0] = line.length;
    for (const [place, { ready, priority, passed }] of line.entries()) {
      if (!ready) {
        this.#unlink(place);
        continue;
      }
      const known = this.#places.get(priority);
      if (known === undefined) this.#places.set(priority, { all: [place], first: 0 });
      else known.all.push(place);
      if (passed >= PASSES_LIMIT) this.#due.push(place);
    }
    this.#priorities = [...this.#places.keys()].sort((one, other) => other - one);
  }

  /** The place of the one that is served next; beyond the line where nobody is left. */
  next(): number {
    const due = this.#due[0];
    const priorities = due === undefined ? this.#priorities : [this.#line[due]?.priority ?? 0];
    for (const priority of priorities) {
      const { all, first } = this.#places.get(priority) ?? { all: [], first: 0 };
      const place = all[first];
      if (place !== undefined) return place;
    }
    return this.#line.length;
  }

  serve(place: number): void {
    const end = this.#line.length;
    for (
      let each = this.#after[end] as number;
      each !== place;
      each = this.#after[each] as number
    ) {
      const passed = (this.#passed[each] as number) + 1;
      this.#passed[each] = passed;
      if (passed === PASSES_LIMIT) this.#due.splice(firstAbove(this.#due, each), 0, each);
    }
    const due = firstAbove(this.#due, place - 1);
    if (this.#due[due] === place) this.#due.splice(due, 1);
    this.#unlink(place);
    const places = this.#places.get(this.#line[place]?.priority ?? 0);
    if (places !== undefined) places.first += 1;
  }

  #unlink(place: number): void {
    const [before, after] = [this.#before[place] as number, this.#after[place] as number];
    this.#after[before] = after;
    this.#before[after] = before;
  }
}

/** The places in line of the claims that are passed when the one at `place` is served. */
export function passedBy(line: readonly InLine[], place: number): number[] {
  return line.flatMap(({ ready }, each) => (ready && each < place ? [each] : []));
}

/**
 * The places in line in the order in which they will be served, if nobody else comes: what people are
 * told as their position. Claims that are not ready stand where their turn would be if they were.
 */
export function servingOrder(line: readonly InLine[]): number[] {
  const all = line.map(({ priority, passed }) => ({ ...PLAIN, priority, passed }));
  return admit(all.length, all);
}
