import {
  admit,
  type InLine,
  nextServed,
  PASSES_LIMIT,
  passedBy,
  servingOrder,
} from "../../../lock/admission.ts";
import { freeSlots, type Rank, type Room, type WaiterEntry } from "../document.ts";

/** A key with a line, as far as the rule of admission looks at it. */
interface Lined<T extends Rank> extends Room {
  readonly line: readonly T[];
}

/** A claim in line, as the rule of admission sees it. */
function inLine({ weight = 1, priority = 0, passed = 0, ready }: Rank): InLine {
  return { weight, priority, passed, ready: ready !== false };
}

/** The claims that may enter now, in the order in which they do. */
export function entering<T extends Rank>(document: Lined<T>): T[] {
  const { line } = document;
  const free = line.length === 0 ? 0 : freeSlots(document);
  return free === 0 ? [] : among(line, admit(free, line.map(inLine)));
}

/** The claim that is served next, whether it fits or not. */
export function nextOf<T extends Rank>(line: readonly T[]): T | null {
  return nextServed(line.map((claim) => ({ ...inLine(claim), claim })))?.claim ?? null;
}

/** A line in the order in which it is served, as people are told it. */
export function inOrder<T extends Rank>(line: readonly T[]): readonly T[] {
  // One priority alone is served in order of arrival. Most lines are like that, and they are looked at often.
  if (line.every(({ priority }) => priority === line[0]?.priority)) return line;
  return among(line, servingOrder(line.map(inLine)));
}

/** The same for the ready claims alone: the others are in nobody's way. */
export function readyInOrder<T extends Rank>(line: readonly T[]): readonly T[] {
  return inOrder(line.filter(isReady));
}

export function isReady({ ready }: Rank): boolean {
  return ready !== false;
}

/** The line after one of its claims was served. That claim is gone, and those that it passed have counted it. */
export function lineAfter(
  document: Lined<WaiterEntry>,
  { id: served }: Pick<WaiterEntry, "id">,
): WaiterEntry[] {
  const { line } = document;
  const place = line.findIndex(({ id }) => id === served);
  const order = entering(document).map(({ id }) => id);
  // A claim that may enter together with it, and before it, is not passed: there is room for both.
  const together = order.slice(0, Math.max(0, order.indexOf(served)));
  const passed = new Set(passedBy(line.map(inLine), place));
  return line.flatMap((waiter, each) => {
    if (each === place) return [];
    if (!passed.has(each) || together.includes(waiter.id)) return [waiter];
    return [{ ...waiter, passed: Math.min((waiter.passed ?? 0) + 1, PASSES_LIMIT) }];
  });
}

function among<T>(line: readonly T[], places: readonly number[]): T[] {
  return places.map((place) => line[place] as T);
}
