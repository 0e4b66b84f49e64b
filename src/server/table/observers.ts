import type { Observer } from "./types.ts";

/** Joins several observers of the table into one. It is called on every grant, so it is prepared here. */
export function together(observers: readonly Observer[]): Observer {
  const joined = observers.filter((one) => one.joined !== undefined);
  const returned = observers.filter((one) => one.returned !== undefined);
  const granted = observers.filter((one) => one.granted !== undefined);
  const changed = observers.filter((one) => one.changed !== undefined);
  const renewed = observers.filter((one) => one.renewed !== undefined);
  const ended = observers.filter((one) => one.ended !== undefined);
  const freezing = observers.filter((one) => one.frozen ?? one.thawed);
  return {
    joined(claim) {
      for (const one of joined) one.joined?.(claim);
    },
    returned(claim) {
      for (const one of returned) one.returned?.(claim);
    },
    granted(claim) {
      for (const one of granted) one.granted?.(claim);
    },
    changed(claim) {
      for (const one of changed) one.changed?.(claim);
    },
    renewed(claim) {
      for (const one of renewed) one.renewed?.(claim);
    },
    ended(claim, reason, wasHeld) {
      for (const one of ended) one.ended?.(claim, reason, wasHeld);
    },
    frozen(key, freeze, replaced, only) {
      for (const one of freezing) one.frozen?.(key, freeze, replaced, only);
    },
    renumbered(entry, before) {
      for (const one of freezing) one.renumbered?.(entry, before);
    },
    thawed(key, freeze, by, slot) {
      for (const one of freezing) one.thawed?.(key, freeze, by, slot);
    },
  };
}
