import { formatDuration } from "../lock/duration.ts";
import type { Estimate } from "../lock/history.ts";
import type { Holder, Progress } from "../lock/store.ts";

/** `1st`, `2nd`, `11th`. */
export function ordinal(place: number): string {
  const teens = place % 100 >= 11 && place % 100 <= 13;
  const ending = teens ? "th" : (["th", "st", "nd", "rd"][place % 10] ?? "th");
  return `${place}${ending}`;
}

/** How long ago, for people; the clocks of two machines may differ, so never below zero. */
export function ago(iso: string | null, now: number): string | null {
  return iso === null ? null : formatDuration(Math.max(0, now - Date.parse(iso)));
}

export function runUrlOf(holder: Pick<Holder, "metadata">): string | null {
  const url = holder.metadata.run_url;
  return typeof url === "string" && url !== "" ? url : null;
}

/** One holder in a line: `ci-github-456-1-deploy for 4m 10s, usually 6m, "v1.2.3" (https://…)`. */
export function holderInLine(holder: Holder, now: number, usual: string | null = null): string {
  const time = ago(holder.since, now);
  const url = runUrlOf(holder);
  return [
    holder.problem === undefined ? holder.owner : "a lock file that cannot be read",
    time === null ? "" : ` for ${time}`,
    usual === null ? "" : `, usually ${usual}`,
    holder.note === null ? "" : `, "${holder.note}"`,
    url === null ? "" : ` (${url})`,
  ].join("");
}

/** As many holders as a reader wants to see in one line. */
const HOLDERS_SHOWN = 3;

export function holdersInLine(
  holders: readonly Holder[],
  now: number,
  estimate: Estimate | null = null,
): string {
  const shown = holders
    .slice(0, HOLDERS_SHOWN)
    // The estimate knows what is usual for the first one.
    .map((holder, index) => holderInLine(holder, now, index === 0 ? usualOf(estimate) : null));
  const more = holders.length - shown.length;
  return shown.join("; ") + (more > 0 ? `; and ${more} more` : "");
}

export function usualOf(estimate: Estimate | null): string | null {
  return estimate === null ? null : formatDuration(estimate.usual * 1_000);
}

/** `in about 8 to 12 min`, and why it may take longer. */
export function turnIn(estimate: Estimate): string {
  const late = estimate.overdue ? "; a holder is over its usual time" : "";
  return `${rangeOf(estimate)}${late}`;
}

export function rangeOf({ lower, upper }: Estimate): string {
  return formatRange(lower, upper);
}

const UNITS = [
  { name: "s", seconds: 1, step: 5 },
  { name: "min", seconds: 60, step: 1 },
  { name: "h", seconds: 3_600, step: 0.5 },
  { name: "d", seconds: 86_400, step: 0.5 },
] as const;
/** Up to so many of a unit are easier to grasp than the next larger one. */
const UNIT_LIMIT = 100;

/** A range in seconds for people, in one unit and rounded outwards: `in about 8 to 12 min`. */
export function formatRange(lower: number, upper: number): string {
  const unit = UNITS.find(({ seconds }) => upper < UNIT_LIMIT * seconds) ?? UNITS[UNITS.length - 1];
  const { name, seconds, step } = unit as (typeof UNITS)[number];
  const most = Math.max(step, Math.ceil(upper / seconds / step) * step);
  const least = Math.floor(lower / seconds / step) * step;
  if (least === 0) return `within ${most} ${name}`;
  return least === most ? `in about ${most} ${name}` : `in about ${least} to ${most} ${name}`;
}

/** How a waiting claim stands: `waiting for production: 2nd in line; held by …; your turn in …`. */
export function waitingInLine(key: string, progress: Progress, now: number): string {
  const { position, holders, trouble, estimate = null } = progress;
  const parts = [`waiting for ${key}: ${ordinal(position)} in line`];
  if (holders.length > 0) parts.push(`held by ${holdersInLine(holders, now, estimate)}`);
  if (trouble !== undefined) parts.push(trouble);
  // Whatever is unusual was not so in the past: an estimate would be false.
  else if (estimate !== null) parts.push(`your turn ${turnIn(estimate)}`);
  return parts.join("; ");
}

/** What must differ for a new line to be worth a reader's time: not the seconds that pass. */
export function pictureOf(progress: Progress): string {
  const holders = progress.holders.map(({ owner, fence, since }) => [owner, fence, since]);
  // That there is an estimate, and that a holder is late, is news; a new figure is not.
  const late = progress.estimate?.overdue ?? null;
  return JSON.stringify([progress.position, holders, progress.trouble, late]);
}
