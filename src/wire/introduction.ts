import { isLockError } from "../lock/errors.ts";
import { type MetadataValue, type Owner, parseOwnerId, readMetadata } from "../lock/owner.ts";
import { byteLength, cleanText, cutToBytes } from "../lock/text.ts";
import { LINE_LIMIT, type Request, statsRequest } from "./request.ts";

/**
 * An introduction says whose connection it is. The wire has no word for that, so it goes as a `stats`
 * request, whose two further lines every server must ignore:
 *
 *     stats
 *     holdfast/1 claim=0123456789abcdef&run_url=https://…&hostname=runner-3&process_id=4711&note=v1.2.3
 *     ci-github-456-1-deploy
 *
 * The third line is the owner's id, which always fits. The second holds what else fits, the most
 * telling first; `%`, `&`, `=` and control characters in it are percent-encoded.
 */
export interface Introduction {
  readonly owner: Owner;
  readonly note: string | null;
  /**
   * The same on every connection of one claim, and of no other. A server that ended between a grant
   * and its reply knows by it, when the claim comes back, for whom it has kept the lock.
   */
  readonly claim?: string;
}

/** Name and version of the format, so that a later one can be told from this. */
export const INTRODUCTION_MARK = "holdfast/1 ";

/** The fields, in the order in which they are sent as long as there is room. */
const FIELDS = [
  "claim",
  "run_url",
  "hostname",
  "process_id",
  "note",
  "ci_system",
  "run_id",
  "run_attempt",
  "job",
  "repository",
  "workflow",
  "ref",
  "sha",
  "actor",
  "user_identity",
  "environment",
  "purpose",
  "session_id",
] as const;

/** How short a note may be cut. A note is still good when its end is missing; an address is not. */
const NOTE_LEAST_BYTES = 12;

export function introductionRequest(introduction: Introduction): Request {
  let line = INTRODUCTION_MARK;
  for (const field of FIELDS) {
    const value = fieldOf(introduction, field);
    if (value === undefined || value === null || value === "") continue;
    const prefix = `${line === INTRODUCTION_MARK ? "" : "&"}${field}=`;
    const room = LINE_LIMIT - byteLength(line) - byteLength(prefix);
    const text = encodeWithin(field, String(value), room);
    if (text !== null) line += prefix + text;
  }
  return statsRequest(line, introduction.owner.id);
}

function fieldOf(introduction: Introduction, field: (typeof FIELDS)[number]) {
  if (field === "note" || field === "claim") return introduction[field];
  return introduction.owner.metadata[field];
}

function encodeWithin(field: string, value: string, room: number): string | null {
  const text = encode(value);
  if (byteLength(text) <= room) return text;
  if (field !== "note" || room < NOTE_LEAST_BYTES) return null;
  let kept = cutToBytes(cleanText(value), room);
  while (byteLength(encode(kept)) > room) kept = cutToBytes(kept, byteLength(kept) - 1);
  return encode(kept);
}

function encode(value: string): string {
  return value.replace(/[%&=\u0000-\u001f\u007f]/g, encodeURIComponent);
}

/** Reads an introduction; null where the request is a plain `stats`, or names no valid owner. */
export function parseIntroduction(request: Request): Introduction | null {
  if (request.command !== "stats" || !request.key.startsWith(INTRODUCTION_MARK)) return null;
  try {
    const id = parseOwnerId(request.token);
    const { note, claim, ...metadata } = parseFields(request.key.slice(INTRODUCTION_MARK.length));
    return {
      owner: { id, metadata: readMetadata(metadata) },
      note: note === undefined ? null : cleanText(String(note)),
      ...(claim === undefined ? {} : { claim: cleanText(String(claim)) }),
    };
  } catch (error) {
    if (isLockError(error) || error instanceof URIError) return null;
    throw error;
  }
}

function parseFields(text: string): Record<string, MetadataValue> {
  const fields: Record<string, MetadataValue> = {};
  for (const part of text.split("&")) {
    const middle = part.indexOf("=");
    const field = part.slice(0, middle);
    if (middle === -1 || !(FIELDS as readonly string[]).includes(field)) continue;
    const value = decodeURIComponent(part.slice(middle + 1));
    fields[field] = field === "process_id" && /^\d{1,10}$/.test(value) ? Number(value) : value;
  }
  return fields;
}
