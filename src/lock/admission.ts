/**
 * Who enters next: the one rule by which every store serves a key's line. Pure.
 *
 * A claim takes `weight` of the key's slots. The weights of the holders never exceed the slots. A
 * higher priority is served first; within a priority the order is that of arrival. If the next claim
 * does not fit, no other claim enters before it, however light: so heavy claims do not starve. A claim
 * that is not ready is passed and keeps its place. A ready claim is passed by at most PASSES_LIMIT
 * later claims, whatever the priorities: so claims of low priority do not starve either.
 */

/** A claim in line, as far as its turn depends on it. */
export interface InLine {
  /** How many slots it takes. */
  readonly weight: number;
  readonly priority: number;
  /** How many claims that came later were served while it stood in line and was ready. */
  readonly passed: number;
  /** It would take the lock now. A claim that is not ready only keeps its place. */
  readonly ready: boolean;
}

/** How many later claims are served before a waiting one; then it goes first. */
export const PASSES_LIMIT = 10;

/** The usual claim: of weight 1, without a priority. */
export const PLAIN: InLine = { weight: 1, priority: 0, passed: 0, ready: true };

/** Whether a claim is served in order of arrival alone, once it is ready. */
export function isPlain({ weight, priority }: Pick<InLine, "weight" | "priority">): boolean {
  return weight === PLAIN.weight && priority === PLAIN.priority;
}

/**
 * Finds the claim that is served next, whether it fits or not: the earliest ready one of the priority
 * whose turn it is. That is the highest priority, or the priority of the first claim that may not be
 * passed any more. So no claim is ever passed by a later one of its own priority.
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
  const [first] = line;
  // Mostly a claim stands alone, and its own turn is all that there is to find.
  if (line.length === 1 && first !== undefined)
    return first.ready && first.weight <= free ? [0] : [];
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
 * The ready claims of a line that are not served yet, as places. Over a whole line it gives the same as
 * repeated calls of `nextServed`, but faster: each claim is passed only a few times, so all of it takes
 * hardly longer than reading the line.
 */
class Left {
  readonly #passed: number[];
  readonly #priorities: number[];
  /** The places of each priority by arrival, and for each list the index of the first one that is left. */
  readonly #places = new Map<number, { readonly all: number[]; first: number }>();
  readonly #line: readonly InLine[];
  /** Places of the claims that may not be passed any more, by arrival. */
  readonly #due: number[] = [];
  /** For each place the next one that is left; for the end of the line the first one. */
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

  /** The place of the claim that is served next; beyond the line if no claim is left. */
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

/** The places in line of the claims that are passed when the claim at `place` is served. */
export function passedBy(line: readonly InLine[], place: number): number[] {
  return line.flatMap(({ ready }, each) => (ready && each < place ? [each] : []));
}

/**
 * The places in line in the order in which they will be served, if no other claim comes. People are
 * told this order as their position. A claim that is not ready has the position that it would have if
 * it were ready.
 */
export function servingOrder(line: readonly InLine[]): number[] {
  const all = line.map(({ priority, passed }) => ({ ...PLAIN, priority, passed }));
  return admit(all.length, all);
}

/** The index of the first number above the given one in a sorted list; the list's length if there is none. */
export function firstAbove(sorted: ArrayLike<number>, value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] as number) > value) high = middle;
    else low = middle + 1;
  }
  return low;
}
