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

function ticketNumber(name: string): number {
  return Number(name.slice(0, NUMBER_WIDTH));
}

/** The tickets among the names of a side directory, first in line first. */
export function lineOf(names: readonly string[]): string[] {
  return names.filter((name) => /^\d{16}-[\w-]+\.ticket$/.test(name)).sort();
}

export function writeTicket({ deadAfter, ...ticket }: Ticket): string {
  // The beat has a fixed width, as in lock files: a heartbeat overwrites in place.
  const beat = String(ticket.beat).padStart(10, "0");
  return `${JSON.stringify({ ...ticket, lease: deadAfter, beat })}\n`;
}

/** Null for a ticket that a crash left half written: tickets are only made under the guard. */
export function parseTicket(content: Uint8Array): Ticket | null {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(content).toString("utf8"));
  } catch {
    return null;
  }
  if (typeof value !== "object" || value === null) return null;
  const { owner, note, metadata, slots, since, lease, beat, process } = value as Record<
    string,
    unknown
  >;
  const numbers = [slots, since, lease, beat].map(wholeNumber);
  const [slotCount, joined, deadAfter, beats] = numbers;
  if (typeof owner !== "string" || typeof process !== "object" || process === null) return null;
  if (slotCount == null || joined == null || deadAfter == null || beats == null) return null;
  const mark = process as Record<string, unknown>;
  const pid = wholeNumber(mark.pid);
  if (pid === null || slotCount > SLOTS_LIMIT || joined > TIME_LIMIT_MS) return null;
  return {
    owner: cleanText(owner),
    note: typeof note === "string" ? cleanText(note) : null,
    metadata: readMetadata(metadata),
    slots: slotCount,
    since: joined,
    deadAfter,
    beat: beats,
    process: {
      pid,
      start: text(mark.start),
      boot: text(mark.boot),
      namespace: text(mark.namespace),
      host: text(mark.host) ?? "",
    },
  };
}

function text(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
