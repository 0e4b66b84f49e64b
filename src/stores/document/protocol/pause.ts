import { statisticsOf } from "../../../lock/history.ts";
import { freeSlots, type KeyDocument } from "../document.ts";
import type { Timing } from "../timing.ts";

/** How many holds it takes to say how long they usually last. */
const HOLDS_NEEDED = 3;
/** How often a claim looks until its turn is expected. */
const LOOKS = 20;

/**
 * How long a waiting claim sleeps, in milliseconds: the nearer its turn, the shorter. While the past
 * says that the turn is far away, it sleeps longer, and never longer than `farPoll`.
 */
export function pauseOf(
  document: KeyDocument,
  place: number,
  now: number,
  { poll, farPoll }: Pick<Timing, "poll" | "farPoll">,
): number {
  const near = poll[Math.min(place, poll.length - 1)] ?? poll[2];
  const far = untilTurn(document, place, now) / LOOKS;
  return Math.max(near, Math.min(far, farPoll));
}

/** Milliseconds until the turn, by the usual length of a hold; 0 if nothing is known or the turn is late. */
function untilTurn(document: KeyDocument, place: number, now: number): number {
  const { holds, holders, slots } = document;
  const usual = statisticsOf(holds);
  const isFree = holders.length === 0 || freeSlots(document) > 0;
  if (usual === null || usual.holds < HOLDS_NEEDED || isFree) return 0;
  // Only how often to look depends on this difference of two machines' clocks.
  const left = holders.map(({ since }) => Math.max(0, usual.median - (now - Date.parse(since))));
  return Math.min(...left) + Math.floor(place / slots) * usual.median;
}
