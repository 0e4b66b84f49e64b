import { formatDuration } from "../lock/duration.ts";
import type { Estimate } from "../lock/history.ts";
import type { Holder } from "../lock/status.ts";

/** When a claim's turn comes, in words: a range, or another text if no range would be true. */

export function usualOf(estimate: Estimate | null): string | null {
  if (estimate === null) return null;
  return estimate.usual === 0 ? "under 1s" : formatDuration(estimate.usual * 1_000);
}

/** From so many times the usual time on, the past says nothing about when a holder will end. */
const STUCK_TIMES = 2;
/** A hold shorter than this is never called stuck, however short holds usually are. */
const STUCK_LEAST_MS = 60_000;
/** A hold shorter than this always has an estimate: it will end soon. */
const UNFORESEEABLE_LEAST_MS = 10_000;
/** The least usual time, since an estimate counts whole seconds. */
const LEAST_USUAL_S = 0.5;

/**
 * How many times its usual time every holder has held, if each has held at least `least` and twice that
 * time; else null.
 */
function timesUsual(
  holders: readonly Pick<Holder, "since">[],
  estimate: Estimate,
  now: number,
  least: number,
): number | null {
  if (!estimate.overdue || holders.length === 0) return null;
  const usual = Math.max(LEAST_USUAL_S, estimate.usual) * 1_000;
  const times = holders.map(({ since }) => (since === null ? 0 : now - Date.parse(since)));
  const held = Math.min(...times);
  const isLong = held >= least && held >= usual * STUCK_TIMES;
  return isLong ? Math.floor(held / usual) : null;
}

/**
 * `in about 8 to 12 min`, and why it may take longer. If a holder is far over its usual time, no turn is
 * given: `not foreseeable: held 4 times its usual time; it may be stuck`.
 */
export function turnIn(
  estimate: Estimate,
  holders: readonly Pick<Holder, "since">[] = [],
  now = 0,
): string {
  const times = timesUsual(holders, estimate, now, UNFORESEEABLE_LEAST_MS);
  if (times !== null) {
    const worry = isStuck({ holders, estimate }, now) ? "; it may be stuck" : "";
    return `not foreseeable: held ${times} times its usual time${worry}`;
  }
  if (isGuess(estimate)) {
    return estimate.overdue
      ? "not foreseeable: a holder is over its usual time"
      : `not foreseeable: the ${estimate.holds} holds so far differ too much`;
  }
  const late = estimate.overdue ? "; a holder is over its usual time" : "";
  return `${rangeOf(estimate)}${late}`;
}

/** A range for people. If a rare long hold has made it wide, the usual end comes first. */
export function rangeOf(estimate: Estimate): string {
  const { lower, upper, likely } = estimate;
  if (!isWide(estimate)) return formatRange(lower, upper);
  return `${formatRange(likely, likely)}, rarely up to ${mostOf(upper)}`;
}

/** A range that is wider than this many usual holds says little. */
const WIDE_HOLDS = 4;
/** A range no wider than this many seconds is told as it is, however short holds are. */
const WIDE_LEAST_S = 15;

/** Fewer holds than this do not tell what is rare: the chance that the next is longer than all is over 1 in 10. */
const LEAST_FOR_RARE = 9;

/** A wide range beyond all that was seen, or of few holds, would say more about the estimate than about a holder. */
function isGuess(estimate: Estimate): boolean {
  return isWide(estimate) && (estimate.overdue || estimate.holds < LEAST_FOR_RARE);
}

function isWide({ lower, upper, likely, usual }: Estimate): boolean {
  return upper - lower > Math.max(WIDE_LEAST_S, WIDE_HOLDS * Math.max(likely, usual));
}

/** Each unit is used up to its limit, which is a whole number of the next: see `formatRange`. */
const UNITS = [
  { name: "s", seconds: 1, step: 5, limit: 120 },
  { name: "min", seconds: 60, step: 1, limit: 120 },
  { name: "h", seconds: 3_600, step: 0.5, limit: 48 },
  { name: "d", seconds: 86_400, step: 0.5, limit: Number.POSITIVE_INFINITY },
] as const;
type Unit = (typeof UNITS)[number];

/**
 * A range in seconds for people, rounded outwards: `in about 8 to 12 min`. Each end is rounded
 * separately, so that a claim further back is never told an earlier turn than one before it.
 */
export function formatRange(lower: number, upper: number): string {
  const top = unitOf(upper);
  const most = topOf(upper, top);
  const own = unitOf(lower);
  const least = Math.floor(lower / own.seconds / own.step) * own.step;
  if (least === 0) return `within ${most} ${top.name}`;
  const inTop = (least * own.seconds) / top.seconds;
  if (inTop % top.step !== 0) return `in about ${least} ${own.name} to ${most} ${top.name}`;
  return inTop === most
    ? `in about ${most} ${top.name}`
    : `in about ${inTop} to ${most} ${top.name}`;
}

/** `105 s`, `12 min`: the end of a range, rounded up. */
function mostOf(seconds: number): string {
  const unit = unitOf(seconds);
  return `${topOf(seconds, unit)} ${unit.name}`;
}

function topOf(seconds: number, { seconds: each, step }: Unit): number {
  return Math.max(step, Math.ceil(seconds / each / step) * step);
}

function unitOf(seconds: number): Unit {
  return UNITS.find((unit) => seconds <= unit.limit * unit.seconds) ?? UNITS[3];
}

/** Holders, and what to expect of them by the key's past. */
interface Outlook {
  readonly holders: readonly Pick<Holder, "since">[];
  readonly estimate?: Estimate | null;
}

/** Whether nothing is said of a turn: every holder is far over its usual time, or too little is known. */
export function isUnforeseeable({ holders, estimate }: Outlook, now: number): boolean {
  if (estimate == null) return false;
  const isFarOver = timesUsual(holders, estimate, now, UNFORESEEABLE_LEAST_MS) !== null;
  return isFarOver || isGuess(estimate);
}

/** Whether every holder is so far over its usual time, and for so long, that somebody should look. */
export function isStuck({ holders, estimate }: Outlook, now: number): boolean {
  return estimate != null && timesUsual(holders, estimate, now, STUCK_LEAST_MS) !== null;
}
