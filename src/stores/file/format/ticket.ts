import { type Metadata, readMetadata } from "../../../lock/owner.ts";
import { SLOTS_LIMIT } from "../../../lock/request.ts";
import { cleanText } from "../../../lock/text.ts";
import type { ProcessMark } from "../../../machine/processes.ts";
import { TICKET_SUFFIX } from "../disk/place.ts";
import { wholeNumber } from "./fields.ts";

/** A place in line, as a file whose name sorts by arrival. */
export interface Ticket {
  readonly owner: string;
  readonly note: string | null;
  readonly metadata: Metadata;
  readonly slots: number;
  /** Wall-clock milliseconds of joining the line. */
  readonly since: number;
  readonly deadAfter: number;
  readonly beat: number;
  readonly process: ProcessMark;
  /** Set where a newer claim of the kind ends it. */
  readonly newest?: boolean;
  /** The number of its first ticket, where it lost that and joined again. */
  readonly arrived?: number;
}

/** What a claim that a newer one ended is told, as a file beside where its ticket was. */
export interface Supersession {
  readonly by: string;
  /** The page of the newer claim's run. */
  readonly url: string | null;
  /** Who is told: once it is dead nobody reads it. */
  readonly process: ProcessMark;
}

const NUMBER_WIDTH = 16;
/** The last moment that `Date` can write. */
const TIME_LIMIT_MS = 8.64e15;

/** Numbers are given under the guard: one more than the last in line, or the clock's microseconds. */
export function nextTicketName(line: readonly string[], nowMs: number, random: string): string {
  const last = line.at(-1);
  const number = Math.max(
    last === undefined ? 0 : ticketNumber(last) + 1,
    Math.floor(nowMs) * 1_000,
  );
  return `${String(number).padStart(NUMBER_WIDTH, "0")}-${random}${TICKET_SUFFIX}`;
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
  return names.filter((name) => /^\d{16}-[\w-]+\.ticket$/.test(name)).sort();
}

/** The words to superseded claims among the names of a side directory. */
export function supersessionsIn(names: readonly string[]): string[] {
  return names.filter((name) => /^\d{16}-[\w-]+\.superseded$/.test(name));
}

export function writeSupersession(supersession: Supersession): string {
  return `${JSON.stringify(supersession)}\n`;
}

/** Null for one that a crash left half written. */
export function parseSupersession(content: Uint8Array): Supersession | null {
  const { by, url, process } = fieldsOf(content) ?? {};
  const mark = readMark(process);
  if (typeof by !== "string" || mark === null) return null;
  return { by: cleanText(by), url: typeof url === "string" ? cleanText(url) : null, process: mark };
}

export function writeTicket({ deadAfter, ...ticket }: Ticket): string {
  // The beat has a fixed width, as in lock files: a heartbeat overwrites in place.
  const beat = String(ticket.beat).padStart(10, "0");
  return `${JSON.stringify({ ...ticket, lease: deadAfter, beat })}\n`;
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
  return {
    owner: cleanText(owner),
    note: typeof note === "string" ? cleanText(note) : null,
    metadata: readMetadata(metadata),
    slots: slotCount,
    since: joined,
    deadAfter,
    beat: beats,
    process,
    ...(fields.newest === true ? { newest: true } : {}),
    ...(arrived === null ? {} : { arrived }),
  };
}

function fieldsOf(content: Uint8Array): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(content).toString("utf8"));
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
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
