import { formatAge, formatDuration } from "../lock/duration.ts";
import type { Estimate } from "../lock/history.ts";
import { nameOf, whoIs } from "../lock/people/who.ts";
import type { Freeze, Holder, KeyStatus, SlotFreeze } from "../lock/status.ts";
import type { Progress } from "../lock/store.ts";
import { isStuck, turnIn, usualOf } from "./turn.ts";

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
    holder.resources === null ? "" : ` on ${namesInLine(holder.resources)}`,
    time === null ? "" : ` for ${time}`,
    usual === null ? "" : `, usually ${usual}`,
    holder.run === undefined ? "" : `, for the whole run, until ${toTheSecond(holder.run.until)}`,
    state === null ? "" : `, ${state}`,
    holder.note === null ? "" : `, "${holder.note}"`,
  ].join("");
}

/** What is wrong with a holder's process: it is gone, or stopped; null if nothing is wrong. */
export function stateOf({ alive, stopped, command }: Holder): string | null {
  const halt = stopped ? "stopped" : null;
  if (command?.alone) {
    const name = command.name === null ? "" : ` (${command.name})`;
    return `gone; its command ${command.pid}${name} is alive${halt === null ? "" : `, ${halt}`}`;
  }
  return alive === false ? "gone" : halt;
}

/** Which slot is frozen: by its name, if it has one. */
export function frozenName(
  { slot, resource }: SlotFreeze,
  resources: readonly string[] | null | undefined,
): string {
  return resources?.[slot] ?? resource ?? `slot ${slot}`;
}

/** Which slots are not given out, since they are frozen by themselves; null: none, or they are held. */
export function slotsFrozen({
  frozenSlots = [],
  holders,
  resources,
  slots: all = Number.POSITIVE_INFINITY,
}: Pick<KeyStatus, "holders"> & Partial<Pick<KeyStatus, "frozenSlots" | "resources" | "slots">>):
  | string
  | null {
  const idle = frozenSlots.filter(
    ({ slot }) => slot < all && !holders.some(({ slots }) => slots.includes(slot)),
  );
  const words = idle.map((freeze) => `${frozenName(freeze, resources)} is ${frozenInLine(freeze)}`);
  return words.length === 0 ? null : words.join("; ");
}

/** `frozen by ann: incident 42, until 2026-11-18T12:00:00Z`. */
export function frozenInLine({ by, reason, until }: Freeze): string {
  const end = until === null ? "until it is thawed" : `until ${toTheSecond(until)}`;
  return `frozen by ${by}: ${reason.replace(/\.$/, "")}, ${end}`;
}

/** A time of ISO 8601 for people, without milliseconds. */
export function toTheSecond(iso: string): string {
  return iso.replace(/\.\d+Z$/, "Z");
}

function addressesOf(holders: readonly Holder[]): string {
  const urls = holders.map(runUrlOf).filter((url) => url !== null);
  return urls.length === 0 ? "" : ` (${urls.join(", ")})`;
}

/** How many holders are named in one line, and how many slots of each. */
const HOLDERS_SHOWN = 3;

export function namesInLine(resources: readonly string[]): string {
  const shown = resources.slice(0, HOLDERS_SHOWN);
  const more = resources.length - shown.length;
  return shown.join(", ") + (more > 0 ? ` and ${more} more` : "");
}

/** Several holders in a line, each with its address. */
export function holdersInLine(
  holders: readonly Holder[],
  now: number,
  estimate: Estimate | null = null,
): string {
  return listed(holders, (holder, usual) => holderInLine(holder, now, usual), estimate);
}

/** Several holders for a list on a screen: without their ids and addresses, which `status` shows. */
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
    // The estimate has the usual time of the first one.
    .map((holder, index) => wordsOf(holder, index === 0 ? usualOf(estimate) : null));
  const more = holders.length - shown.length;
  return shown.join("; ") + (more > 0 ? `; and ${more} more` : "");
}

/** What a waiting claim knows about itself. */
export interface Self {
  /** Milliseconds that it has waited. */
  readonly waited: number;
  /** Milliseconds that it is ready to wait; null: without limit. */
  readonly limit: number | null;
  /** For how many milliseconds there has been trouble. */
  readonly troubled: number;
  /** The command that tells more. */
  readonly look: string;
}

/** Below this a time is not worth a word. */
const WORTH_TELLING_MS = 1_000;
/** After a wait this long the line names the command that tells more. */
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

/** The same for a claim that has only joined the line: `stands in line for production: 2nd; your turn …`. */
export function joinedInLine(key: string, progress: Progress, now: number, next: string): string {
  const { place, holders, trouble } = waitingParts(key, progress, now, null, nameOf);
  const first = `stands in line for ${progress.key ?? key}: ${ordinal(progress.position)}`;
  const addresses = addressesOf(progress.holders.slice(0, HOLDERS_SHOWN));
  return `${[first, ...place.slice(1), ...holders, ...trouble, next].join("; ")}${addresses}`;
}

/** How a waiting claim stands, for a terminal: one line if it is short enough for `fits`, else as few lines as it needs. */
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
  const first = packed([...place, ...trouble], fits);
  const whole = packed([...place, ...trouble, ...own], fits);
  // How long the claim has waited is shown only if it needs no further line.
  return whole.length === first.length
    ? [...whole, ...holders]
    : [...first, ...packed([...holders, ...own], fits)];
}

/** Puts parts into as few lines as they need, in this order: a line breaks only between two parts. */
function packed(parts: readonly string[], fits: (line: string) => boolean): string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const longer = lines.length === 0 ? part : `${lines.at(-1)}; ${part}`;
    if (lines.length > 0 && fits(longer)) lines[lines.length - 1] = longer;
    else lines.push(part);
  }
  return lines;
}

/** How much of a note is shown in a line that is drawn again each second. */
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
  // With trouble or a freeze an estimate from the past would be false.
  else if (trouble === undefined && estimate !== null) {
    place.push(`your turn ${turnIn(estimate, holders, now)}`);
  }
  const words = (holder: Holder, usual: string | null) => holderWords(holder, now, usual, name);
  const held = holders.length === 0 ? [] : [`held by ${listed(holders, words, estimate)}`];
  const away = frozen === null ? slotsFrozen(progress) : null;
  const own: string[] = [];
  if (self !== null && self.waited >= WORTH_TELLING_MS) {
    const limit = self.limit === null ? "" : ` of ${formatDuration(self.limit)}`;
    own.push(`waited ${formatDuration(self.waited)}${limit}`);
    if (self.waited >= LONG_WAIT_MS || isStuck(progress, now)) own.push(`see ${self.look}`);
  }
  return {
    place,
    holders: away === null ? held : [...held, away],
    trouble: trouble === undefined ? [] : [trouble + lasting(self?.troubled ?? 0)],
    own,
  };
}

function lasting(milliseconds: number): string {
  return milliseconds < WORTH_TELLING_MS ? "" : ` (for ${formatDuration(milliseconds)})`;
}

/** What a new line is written for when it changes: not the seconds that pass. */
export function pictureOf(progress: Progress): string {
  const holders = progress.holders.map((holder) => {
    return [holder.owner, holder.fence, holder.since, stateOf(holder)];
  });
  // News is that there is an estimate, or that a holder is late; a new figure is not news. Trouble is
  // news when it begins; its words change with each attempt of the claim, and that is not news.
  const late = progress.estimate?.overdue ?? null;
  const troubled = progress.trouble !== undefined;
  const { key, position, frozen = null, frozenSlots = [] } = progress;
  return JSON.stringify([key, position, holders, troubled, late, frozen, frozenSlots]);
}
