import { type InLine, PLAIN } from "../../../lock/admission.ts";
import { type Metadata, readMetadata } from "../../../lock/owner.ts";
import { SLOTS_LIMIT } from "../../../lock/resources.ts";
import { cleanText, jsonObject } from "../../../lock/text.ts";
import type { ProcessMark } from "../../../machine/processes.ts";
import { TICKET_SUFFIX } from "../disk/place.ts";
import { readNames, wholeNumber, writeNames } from "./fields.ts";

/** A place in line, as a file whose name sorts by arrival. */
export interface Ticket {
  readonly owner: string;
  readonly note: string | null;
  readonly metadata: Metadata;
  readonly slots: number;
  /** The names of the key's slots, where they have names. */
  readonly resources?: readonly string[];
  /** Wall-clock milliseconds of joining the line. */
  readonly since: number;
  readonly deadAfter: number;
  readonly beat: number;
  readonly process: ProcessMark;
  /** Set for a claim with `newest`: a newer one ends it. */
  readonly newest?: boolean;
  /** The number of its first ticket, if it lost that and joined again. */
  readonly arrived?: number;
}

/** What a claim is told that a newer one ended: a file beside where its ticket was. */
export interface Supersession {
  readonly by: string;
  /** The page of the newer claim's run. */
  readonly url: string | null;
  /** The process that is told: once it is dead, nobody reads this. */
  readonly process: ProcessMark;
}

/**
 * What a ticket's name tells: everything that decides the order of the line, so that nobody has to read all
 * tickets.
 */
export interface Standing extends Omit<InLine, "passed"> {
  readonly name: string;
  /** Grows with arrival. */
  readonly number: number;
  /**
   * The key's last fence when the claim got ready; 0: it was ready from the start. Only claims that were served
   * after that passed it.
   */
  readonly readyAt: number;
}

const NUMBER_WIDTH = 16;
/** The last moment that `Date` can write. */
const TIME_LIMIT_MS = 8.64e15;

/** Gives a number under the guard: one more than the last in line, or the clock's microseconds. */
export function nextNumber(line: readonly string[], nowMs: number): number {
  const last = line.at(-1);
  return Math.max(last === undefined ? 0 : ticketNumber(last) + 1, Math.floor(nowMs) * 1_000);
}

/** The name of a plain claim has only a number and a random part; anything unusual stands behind them. */
export function nextTicketName(
  line: readonly string[],
  nowMs: number,
  random: string,
  { priority, weight, ready }: Omit<InLine, "passed"> = PLAIN,
): string {
  const number = digits(nextNumber(line, nowMs));
  const marks = [
    ...(priority === 0 ? [] : [`.p${priority}`]),
    ...(weight === 1 ? [] : [`.w${weight}`]),
    ...(ready ? [] : [NOT_READY]),
  ];
  return `${number}-${random}${marks.join("")}${TICKET_SUFFIX}`;
}

const NOT_READY = ".n";

/** The name of the same ticket once its claim is ready. `fence`: the key's last one. */
export function readyName(name: string, fence: number): string {
  return name.replace(`${NOT_READY}${TICKET_SUFFIX}`, `.r${digits(fence)}${TICKET_SUFFIX}`);
}

function digits(number: number): string {
  return String(number).padStart(NUMBER_WIDTH, "0");
}

const NAMED = /^\d{16}-[\w-]+(?:\.p(-?\d+))?(?:\.w(\d+))?(?:(\.n)|\.r(\d+))?\.(ticket|superseded)$/;

/** How the claim of a ticket with that name stands. `lineOf` has found the name. */
export function standingOf(name: string): Standing {
  const number = ticketNumber(name);
  // A look at a long line reads all its names, and most of them are plain.
  if (name.indexOf(".") === name.length - TICKET_SUFFIX.length)
    return { name, number, weight: 1, priority: 0, ready: true, readyAt: 0 };
  const [, priority, weight, notReady, readyAt] = NAMED.exec(name) ?? [];
  return {
    name,
    number,
    weight: Math.max(1, Number(weight ?? 1)),
    // -0 only makes trouble.
    priority: Number(priority ?? 0) || 0,
    ready: notReady === undefined,
    readyAt: Number(readyAt ?? 0),
  };
}

/** When a claim came, as a number that grows: that of its first ticket. */
export function arrivalOf(name: string, { arrived }: Pick<Ticket, "arrived">): number {
  return arrived ?? ticketNumber(name);
}

function ticketNumber(name: string): number {
  return Number(name.slice(0, NUMBER_WIDTH));
}

/** The tickets among the names of a side directory, first in line first. */
export function lineOf(names: readonly string[]): string[] {
  return names.filter((name) => NAMED.exec(name)?.[5] === "ticket").sort();
}

/** The words to superseded claims among the names of a side directory. */
export function supersessionsIn(names: readonly string[]): string[] {
  return names.filter((name) => NAMED.exec(name)?.[5] === "superseded");
}

export function writeSupersession(supersession: Supersession): string {
  return `${JSON.stringify(supersession)}\n`;
}

/** Null for a word that a crash left half written. */
export function parseSupersession(content: Uint8Array): Supersession | null {
  const { by, url, process } = fieldsOf(content) ?? {};
  const mark = readMark(process);
  if (typeof by !== "string" || mark === null) return null;
  return { by: cleanText(by), url: typeof url === "string" ? cleanText(url) : null, process: mark };
}

export function writeTicket({ deadAfter, resources, ...ticket }: Ticket): string {
  // The beat has a fixed width, as in lock files: a heartbeat overwrites in place.
  const beat = String(ticket.beat).padStart(10, "0");
  const names = resources === undefined ? {} : { resources: writeNames(resources) };
  return `${JSON.stringify({ ...ticket, ...names, lease: deadAfter, beat })}\n`;
}

/** Null for a ticket that a crash left half written: tickets are only made under the guard. */
export function parseTicket(content: Uint8Array): Ticket | null {
  const fields = fieldsOf(content);
  if (fields === null) return null;
  const { owner, note, metadata, slots, since, lease, beat } = fields;
  const numbers = [slots, since, lease, beat].map(wholeNumber);
  const [slotCount, joined, deadAfter, beats] = numbers;
  const process = readMark(fields.process);
  if (typeof owner !== "string" || process === null) return null;
  if (slotCount == null || joined == null || deadAfter == null || beats == null) return null;
  if (slotCount > SLOTS_LIMIT || joined > TIME_LIMIT_MS) return null;
  const arrived = wholeNumber(fields.arrived);
  const resources = readNames(fields.resources, slotCount);
  return {
    owner: cleanText(owner),
    note: typeof note === "string" ? cleanText(note) : null,
    metadata: readMetadata(metadata),
    slots: slotCount,
    ...(resources === null ? {} : { resources }),
    since: joined,
    deadAfter,
    beat: beats,
    process,
    ...(fields.newest === true ? { newest: true } : {}),
    ...(arrived === null ? {} : { arrived }),
  };
}

function fieldsOf(content: Uint8Array): Record<string, unknown> | null {
  return jsonObject(Buffer.from(content).toString("utf8"));
}

function readMark(value: unknown): ProcessMark | null {
  if (typeof value !== "object" || value === null) return null;
  const mark = value as Record<string, unknown>;
  const pid = wholeNumber(mark.pid);
  if (pid === null) return null;
  return {
    pid,
    start: text(mark.start),
    boot: text(mark.boot),
    namespace: text(mark.namespace),
    host: text(mark.host) ?? "",
  };
}

function text(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
