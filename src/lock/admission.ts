/**
 * Who enters next: the one rule by which every store serves a key's line. Pure.
 *
 * A claim takes `weight` of the key's slots. The weights of those that hold never exceed the slots. A
 * higher priority is served first; within a priority the order is that of arrival. A claim that does
 * not fit is waited for, and nobody enters past it, however light: so the heavy do not starve. A claim
 * that is not ready is passed and keeps its place. After PASSES_LIMIT later claims a claim that is
 * ready is passed no more, whatever the priorities: so the low do not starve either.
 */

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
  let left = line.map((claim, place) => ({ ...claim, place }));
  for (let room = free; room > 0; ) {
    const next = nextServed(left);
    if (next === null || next.weight > room) break;
    room -= next.weight;
    entering.push(next.place);
    left = left
      .filter(({ place }) => place !== next.place)
      .map((claim) => (isPassedBy(claim, next) ? { ...claim, passed: claim.passed + 1 } : claim));
  }
  return entering;
}

function isPassedBy(claim: InLine & { place: number }, served: { place: number }): boolean {
  return claim.ready && claim.place < served.place;
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
  const all = line.map((claim) => ({ ...claim, ready: true, weight: 1 }));
  return admit(all.length, all);
}
