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
 * The third line is the owner's id, which always fits. The second line has as many other fields as fit,
 * the most important first; further introductions of the same connection have the rest. `%`, `&`, `=`
 * and control characters in it are percent-encoded.
 */
export interface Introduction {
  readonly owner: Owner;
  readonly note: string | null;
  /**
   * The same on every connection of one claim, and on no other. If a server ended between a grant and
   * its reply, it recognises the claim by it, and gives it the lock that it has kept for it.
   */
  readonly claim?: string;
}

/** Name and version of the format, so that a later one can be told from this. */
export const INTRODUCTION_MARK = "holdfast/1 ";

/** The fields, in the order in which they are sent as long as there is room: what people need first. */
const FIELDS = [
  "claim",
  "repository",
  "workflow",
  "run_number",
  "actor",
  "run_url",
  "hostname",
  "process_id",
  "command",
  "note",
  "sha",
  "ref",
  "job",
  "ci_system",
  "run_id",
  "run_attempt",
  "user_identity",
  "environment",
  "purpose",
  "session_id",
] as const;
type Field = (typeof FIELDS)[number];

/** All fields fit into so many further lines, except fields that are longer than a line. */
const FURTHER_LIMIT = 4;

/** How short a note may be cut. A note without its end is still useful; an address is not. */
const NOTE_LEAST_BYTES = 12;

export function introductionRequest(introduction: Introduction): Request {
  return fill(introduction, FIELDS).request;
}

/**
 * The introductions for what the first one has no room for; each adds to those before it. Only our
 * server puts them together: for other servers each is a whole `stats` request.
 */
export function furtherIntroductions(introduction: Introduction): Request[] {
  const requests: Request[] = [];
  let left = fill(introduction, FIELDS).left;
  while (left.length > 0 && requests.length < FURTHER_LIMIT) {
    const { request, left: then, isEmpty } = fill(introduction, left);
    if (isEmpty) break;
    requests.push(request);
    left = then;
  }
  return requests;
}

/** What a connection has said of itself in one introduction and the one after it. */
export function joinIntroductions(first: Introduction | null, more: Introduction): Introduction {
  if (first === null || first.owner.id !== more.owner.id) return more;
  const claim = more.claim ?? first.claim;
  return {
    owner: { ...more.owner, metadata: { ...first.owner.metadata, ...more.owner.metadata } },
    note: more.note ?? first.note,
    ...(claim === undefined ? {} : { claim }),
  };
}

interface Filled {
  readonly request: Request;
  readonly isEmpty: boolean;
  /** Fields that found no room, or not as a whole. */
  readonly left: readonly Field[];
}

function fill(introduction: Introduction, fields: readonly Field[]): Filled {
  let line = INTRODUCTION_MARK;
  const left: Field[] = [];
  for (const field of fields) {
    const value = fieldOf(introduction, field);
    if (value === undefined || value === null || value === "") continue;
    const isFirst = line === INTRODUCTION_MARK;
    const prefix = `${isFirst ? "" : "&"}${field}=`;
    const room = LINE_LIMIT - byteLength(line) - byteLength(prefix);
    const text = encodeWithin(field, String(value), room);
    // A text that was cut may have more room in the next line, at most that of an empty line.
    if (!isFirst && text !== encode(String(value))) left.push(field);
    if (text !== null) line += prefix + text;
  }
  const request = statsRequest(line, introduction.owner.id);
  return { request, left, isEmpty: line === INTRODUCTION_MARK };
}

function fieldOf(introduction: Introduction, field: Field) {
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
