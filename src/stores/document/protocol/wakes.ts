import { freeSlots, type HolderEntry, type KeyDocument, type WaiterEntry } from "../document.ts";
import { readyInOrder } from "../operations/line.ts";

/**
 * The sessions that a change has to wake: those of claims that got the lock, lost it or their place, that are to
 * take it, or that have become the next in line; and all of them if a freeze begins or ends. The rest of a long
 * line sleeps on: a hundred that wake for every turn would slow down the turn itself.
 */
export function wakesOf(before: KeyDocument, next: KeyDocument): string[] {
  const isFrozenAnew =
    before.freeze?.since !== next.freeze?.since || before.frozenSlots !== next.frozenSlots;
  const free = freeSlots(next);
  const coming = readyInOrder(next.line).slice(0, Math.max(1, free));
  const first = readyInOrder(before.line)[0]?.id;
  const isAgain = freeSlots(before) === free;
  const found = [
    ...missing(before.holders, next.holders),
    ...missing(next.holders, before.holders),
    ...missing(before.line, [...next.line, ...next.holders]),
    ...coming.filter(({ id }) => !isAgain || id !== first),
    // A holder that knows the line releases the lock without reading it first.
    ...(before.line.length === next.line.length ? [] : next.holders),
    ...(isFrozenAnew ? next.line : []),
  ];
  return [...new Set(found.flatMap(({ life }) => (life?.kind === "session" ? [life.id] : [])))];
}

type Entry = HolderEntry | WaiterEntry;

/** Those of the first list that are not in the second. */
function missing(from: readonly Entry[], others: readonly Entry[]): Entry[] {
  const ids = new Set(others.map(({ id }) => id));
  return from.filter(({ id }) => !ids.has(id));
}
