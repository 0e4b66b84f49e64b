import { formatAge, formatDuration } from "../lock/duration.ts";
import type { Estimate } from "../lock/history.ts";
import { nameOf, whoIs } from "../lock/people/who.ts";
import type { Freeze, Holder } from "../lock/status.ts";
import type { Progress } from "../lock/store.ts";

/** `1st`, `2nd`, `11th`. */
export function ordinal(place: number): string {
  const teens = place % 100 >= 11 && place % 100 <= 13;
  const ending = teens ? "th" : (["th", "st", "nd", "rd"][place % 10] ?? "th");
  return `${place}${ending}`;
}

/** How long ago, for people. */
export function ago(iso: string | null, now: number): string | null {
  return iso === null ? null : formatAge(now - Date.parse(iso));
}

export function runUrlOf(holder: Pick<Holder, "metadata">): string | null {
  const url = holder.metadata.run_url;
  return typeof url === "string" && url !== "" ? url : null;
}

/** One holder in a line: `ci-github-456-1-deploy for 4m 10s, usually 6m, "v1.2.3"`, and its address. */
export function holderInLine(holder: Holder, now: number, usual: string | null = null): string {
  return `${holderWords(holder, now, usual)}${addressesOf([holder])}`;
}

function holderWords(
  holder: Holder,
  now: number,
  usual: string | null,
  name: (holder: Holder) => string = nameOf,
): string {
  const time = ago(holder.since, now);
  const state = stateOf(holder);
  return [
    holder.problem === undefined ? name(holder) : "a lock file that cannot be read",
    time === null ? "" : ` for ${time}`,
    usual === null ? "" : `, usually ${usual}`,
    holder.run === undefined ? "" : `, for the whole run, until ${toTheSecond(holder.run.until)}`,
    state === null ? "" : `, ${state}`,
    holder.note === null ? "" : `, "${holder.note}"`,
  ].join("");
}

/** What is not as it should be with a holder's process: gone, or stopped; null where nothing is. */
export function stateOf({ alive, stopped, command }: Holder): string | null {
  const halt = stopped ? "stopped" : null;
  if (command?.alone) {
    const name = command.name === null ? "" : ` (${command.name})`;
    return `gone; its command ${command.pid}${name} is alive${halt === null ? "" : `, ${halt}`}`;
  }
  return alive === false ? "gone" : halt;
}

/** `frozen by ann: incident 42, until 2026-11-18T12:00:00Z`. */
export function frozenInLine({ by, reason, until }: Freeze): string {
  const end = until === null ? "until it is thawed" : `until ${toTheSecond(until)}`;
  return `frozen by ${by}: ${reason.replace(/\.$/, "")}, ${end}`;
}

/** A time of ISO 8601 for people, who do not count milliseconds. */
export function toTheSecond(iso: string): string {
  return iso.replace(/\.\d+Z$/, "Z");
}

function addressesOf(holders: readonly Holder[]): string {
  const urls = holders.map(runUrlOf).filter((url) => url !== null);
  return urls.length === 0 ? "" : ` (${urls.join(", ")})`;
}

/** As many holders as a reader wants to see in one line. */
const HOLDERS_SHOWN = 3;

/** Several holders in a line, each with its address. */
export function holdersInLine(
  holders: readonly Holder[],
  now: number,
  estimate: Estimate | null = null,
): string {
  return listed(holders, (holder, usual) => holderInLine(holder, now, usual), estimate);
}

/** Several holders for a list on a screen: without their ids and addresses, which `status` tells. */
export function holdersInList(
  holders: readonly Holder[],
  now: number,
  estimate: Estimate | null,
): string {
  return listed(holders, (holder, usual) => holderWords(holder, now, usual, whoIs), estimate);
}

function listed(
  holders: readonly Holder[],
  wordsOf: (holder: Holder, usual: string | null) => string,
  estimate: Estimate | null,
): string {
  const shown = holders
    .slice(0, HOLDERS_SHOWN)
    // The estimate knows what is usual for the first one.
    .map((holder, index) => wordsOf(holder, index === 0 ? usualOf(estimate) : null));
  const more = holders.length - shown.length;
  return shown.join("; ") + (more > 0 ? `; and ${more} more` : "");
}

export function usualOf(estimate: Estimate | null): string | null {
  if (estimate === null) return null;
  return estimate.usual === 0 ? "under 1s" : formatDuration(estimate.usual * 1_000);
}

/** From so many times the usual time on, the past says nothing about when a holder will end. */
const STUCK_TIMES = 2;
/** However short holds usually are, one of less than this is not worth a worry. */
const STUCK_LEAST_MS = 60_000;
/** And one of less than this ends soon enough for any guess. */
const UNFORESEEABLE_LEAST_MS = 10_000;
/** An estimate counts whole seconds: a usual time of less counts as this. */
const LEAST_USUAL_S = 0.5;

/** How many times the usual time every holder has held, where that is at least `least` and twice it; else null. */
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
 * `in about 8 to 12 min`, and why it may take longer. Of a holder that is far over its usual time no
 * turn is promised: `not foreseeable: held 4 times its usual time; it may be stuck`.
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
  // Beyond all that was seen, a range would say more about the estimate than about the holder.
  if (estimate.overdue && isWide(estimate)) {
    return "not foreseeable: a holder is over its usual time";
  }
  const late = estimate.overdue ? "; a holder is over its usual time" : "";
  return `${rangeOf(estimate)}${late}`;
}

/** A range for people. Of one that a rare long hold has made wide, the usual end is told first. */
export function rangeOf(estimate: Estimate): string {
  const { lower, upper, likely } = estimate;
  if (!isWide(estimate)) return formatRange(lower, upper);
  return `${formatRange(likely, likely)}, rarely up to ${mostOf(upper)}`;
}

/** A range that is wider than so many usual holds says little. */
const WIDE_HOLDS = 4;
/** However short holds are, so many seconds more or less are no matter. */
const WIDE_LEAST_S = 15;

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
 * A range in seconds for people, rounded outwards: `in about 8 to 12 min`. Each end is rounded by
 * itself alone, so that a claim further back is never told an earlier turn than one before it.
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

/** What a waiting claim knows about itself. */
export interface Self {
  /** Milliseconds that it has waited. */
  readonly waited: number;
  /** Milliseconds that it is ready to wait; null: without limit. */
  readonly limit: number | null;
  /** Milliseconds since when it has been told of trouble. */
  readonly troubled: number;
  /** The command that tells more. */
  readonly look: string;
}

/** Below this a time is not worth a word. */
const WORTH_TELLING_MS = 1_000;
/** After so long a wait people want to know what they can do. */
const LONG_WAIT_MS = 600_000;

/**
 * How a waiting claim stands, in one line for a log: `waiting for production: 2nd in line; your turn in
 * about 8 to 12 min; held by … for 4m 10s, usually 6m; waited 2m of 30m (https://…)`. What matters most
 * comes first, and addresses last.
 */
export function waitingInLine(
  key: string,
  progress: Progress,
  now: number,
  self: Self | null = null,
): string {
  const { place, holders, trouble, own } = waitingParts(key, progress, now, self, nameOf);
  const addresses = addressesOf(progress.holders.slice(0, HOLDERS_SHOWN));
  return `${[...place, ...holders, ...trouble, ...own].join("; ")}${addresses}`;
}

/** The same for a terminal: one line where it is short enough for `fits`, else the claim and the holder. */
export function waitingOnTerminal(
  key: string,
  progress: Progress,
  now: number,
  self: Self | null,
  fits: (line: string) => boolean,
): string[] {
  const shorter = {
    ...progress,
    holders: progress.holders.map((holder) => ({ ...holder, note: shortened(holder.note) })),
  };
  const { place, holders, trouble, own } = waitingParts(key, shorter, now, self, whoIs);
  const line = [...place, ...holders, ...trouble, ...own].join("; ");
  if (fits(line) || holders.length === 0) return [line];
  return [[...place, ...trouble, ...own].join("; "), holders.join("; ")];
}

/** So much of a note stands in a line that is drawn again each second. */
const NOTE_SHOWN = 60;

function shortened(note: string | null): string | null {
  const characters = [...(note ?? "")];
  return characters.length > NOTE_SHOWN ? `${characters.slice(0, NOTE_SHOWN).join("")}…` : note;
}

function waitingParts(
  key: string,
  progress: Progress,
  now: number,
  self: Self | null,
  name: (holder: Holder) => string,
) {
  const { position, holders, trouble, estimate = null, frozen = null } = progress;
  const place = [`waiting for ${progress.key ?? key}: ${ordinal(position)} in line`];
  if (frozen !== null) place.push(frozenInLine(frozen));
  // Whatever is unusual was not so in the past: an estimate would be false.
  else if (trouble === undefined && estimate !== null) {
    place.push(`your turn ${turnIn(estimate, holders, now)}`);
  }
  const words = (holder: Holder, usual: string | null) => holderWords(holder, now, usual, name);
  const own: string[] = [];
  if (self !== null && self.waited >= WORTH_TELLING_MS) {
    const limit = self.limit === null ? "" : ` of ${formatDuration(self.limit)}`;
    own.push(`waited ${formatDuration(self.waited)}${limit}`);
    if (self.waited >= LONG_WAIT_MS || isStuck(progress, now)) own.push(`see ${self.look}`);
  }
  return {
    place,
    holders: holders.length === 0 ? [] : [`held by ${listed(holders, words, estimate)}`],
    trouble: trouble === undefined ? [] : [trouble + lasting(self?.troubled ?? 0)],
    own,
  };
}

/** Holders, and what the key's past lets expect of them. */
interface Outlook {
  readonly holders: readonly Pick<Holder, "since">[];
  readonly estimate?: Estimate | null;
}

/** Whether every holder is so far over its usual time that no turn can be told. */
export function isUnforeseeable({ holders, estimate }: Outlook, now: number): boolean {
  if (estimate == null) return false;
  const isFarOver = timesUsual(holders, estimate, now, UNFORESEEABLE_LEAST_MS) !== null;
  return isFarOver || (estimate.overdue && isWide(estimate));
}

/** Whether every holder is that far over it, and for so long that somebody should look. */
export function isStuck({ holders, estimate }: Outlook, now: number): boolean {
  return estimate != null && timesUsual(holders, estimate, now, STUCK_LEAST_MS) !== null;
}

function lasting(milliseconds: number): string {
  return milliseconds < WORTH_TELLING_MS ? "" : ` (for ${formatDuration(milliseconds)})`;
}

/** What must differ for a new line to be worth a reader's time: not the seconds that pass. */
export function pictureOf(progress: Progress): string {
  const holders = progress.holders.map((holder) => {
    return [holder.owner, holder.fence, holder.since, stateOf(holder)];
  });
  // That there is an estimate, and that a holder is late, is news; a new figure is not. That there is
  // trouble is news as well; its words change with each attempt of a claim to get through.
  const late = progress.estimate?.overdue ?? null;
  const troubled = progress.trouble !== undefined;
  const { key, position, frozen = null } = progress;
  return JSON.stringify([key, position, holders, troubled, late, frozen]);
}
