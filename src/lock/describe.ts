import { formatDuration } from "./duration.ts";
import type { Holder, Progress } from "./store.ts";

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

/** One holder in a line: `ci-github-456-1-deploy for 4m 10s, "v1.2.3" (https://…)`. */
export function holderInLine(holder: Holder, now: number): string {
  const time = ago(holder.since, now);
  const url = runUrlOf(holder);
  return [
    holder.problem === undefined ? holder.owner : "a lock file that cannot be read",
    time === null ? "" : ` for ${time}`,
    holder.note === null ? "" : `, "${holder.note}"`,
    url === null ? "" : ` (${url})`,
  ].join("");
}

/** As many holders as a reader wants to see in one line. */
const HOLDERS_SHOWN = 3;

export function holdersInLine(holders: readonly Holder[], now: number): string {
  const shown = holders.slice(0, HOLDERS_SHOWN).map((holder) => holderInLine(holder, now));
  const more = holders.length - shown.length;
  return shown.join("; ") + (more > 0 ? `; and ${more} more` : "");
}

/** How a waiting claim stands: `waiting for production: 2nd in line; held by …`. */
export function waitingInLine(key: string, progress: Progress, now: number): string {
  const parts = [`waiting for ${key}: ${ordinal(progress.position)} in line`];
  if (progress.holders.length > 0) parts.push(`held by ${holdersInLine(progress.holders, now)}`);
  if (progress.trouble !== undefined) parts.push(progress.trouble);
  return parts.join("; ");
}

/** What must differ for a new line to be worth a reader's time: not the seconds that pass. */
export function pictureOf(progress: Progress): string {
  const holders = progress.holders.map(({ owner, fence, since }) => [owner, fence, since]);
  return JSON.stringify([progress.position, holders, progress.trouble]);
}
