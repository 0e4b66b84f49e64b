import {
  admit,
  type InLine,
  nextServed,
  PASSES_LIMIT,
  passedBy,
  servingOrder,
} from "../../../lock/admission.ts";
import { freeSlots, type Rank, type Room, type WaiterEntry } from "../document.ts";

/** A key with a line: what the rule of admission has to know of it. */
interface Lined<T extends Rank> extends Room {
  readonly line: readonly T[];
}

/** What the rule has to know of a claim in line. */
function inLine({ weight = 1, priority = 0, passed = 0, ready }: Rank): InLine {
  return { weight, priority, passed, ready: ready !== false };
}

/** Those that may enter now, in the order in which they do. */
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
  // One priority is served in order of arrival. So are most lines, and they are looked at often.
  if (line.every(({ priority }) => priority === line[0]?.priority)) return line;
  return among(line, servingOrder(line.map(inLine)));
}

/** The same of those that are ready: the others are in nobody's way. */
export function readyInOrder<T extends Rank>(line: readonly T[]): readonly T[] {
  return inOrder(line.filter(isReady));
}

export function isReady({ ready }: Rank): boolean {
  return ready !== false;
}

/** The line when one of it is served: it is no longer there, and those that it passes have counted it. */
export function lineAfter(
  document: Lined<WaiterEntry>,
  { id: served }: Pick<WaiterEntry, "id">,
): WaiterEntry[] {
  const { line } = document;
  const place = line.findIndex(({ id }) => id === served);
  const order = entering(document).map(({ id }) => id);
  // Who may enter together with it, and before it, is not passed: there is room for both.
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
