import { LockError, messageOf } from "../../lock/errors.ts";
import type { Hold } from "../../lock/history.ts";
import { readHolds } from "../../lock/history.ts";
import { type Metadata, readMetadata } from "../../lock/owner.ts";
import { RECLAIM_REASONS } from "../../lock/reclaim.ts";
import type { Freeze } from "../../lock/status.ts";
import { byteLength, cleanText, cutToBytes, quote } from "../../lock/text.ts";
import {
  type Claimant,
  DOCUMENT_VERSION,
  emptyDocument,
  type HolderEntry,
  type KeyDocument,
  type Superseded,
  type Taken,
  type WaiterEntry,
} from "./document.ts";
import { readLife } from "./life.ts";

/** A document is at most so long: every register carries that. */
export const DOCUMENT_BYTES_LIMIT = 64 * 1024;

/**
 * A document that grows, by a claim in line or a holder more, stays below this. The rest is for what
 * must never fail because a document is full: renewing, releasing, leaving, breaking.
 */
export const GROWTH_BYTES_LIMIT = 60 * 1024;

/**
 * The document as text, and what was written, which is less where it would have been too long. Null
 * where nothing more can be left out: a longer line, or one more holder, does not fit.
 */
export function writeDocument(
  document: KeyDocument,
  limit = DOCUMENT_BYTES_LIMIT,
): { readonly text: string; readonly document: KeyDocument } | null {
  for (const trim of TRIMS) {
    const trimmed = trim(document);
    const text = JSON.stringify(trimmed);
    if (byteLength(text) <= limit) return { text, document: trimmed };
  }
  return null;
}

/** So much of a long note or value is still of use to a reader. */
const SHORT_BYTES = 80;

/** What is left out, the least needed first: the past, then what is only shown. */
const TRIMS: readonly ((document: KeyDocument) => KeyDocument)[] = [
  (document) => document,
  (document) => ({ ...document, holds: document.holds.map(withoutMetadata) }),
  (document) => ({ ...document, holds: document.holds.slice(0, 10).map(withoutMetadata) }),
  (document) => shorten({ ...document, holds: document.holds.slice(0, 10).map(withoutMetadata) }),
  (document) => bare({ ...document, holds: [] }),
];

function withoutMetadata(hold: Hold): Hold {
  return { ...hold, metadata: {} };
}

function shorten(document: KeyDocument): KeyDocument {
  return eachClaimant(document, (claimant) => ({
    ...claimant,
    note: claimant.note === null ? null : cutToBytes(claimant.note, SHORT_BYTES),
    metadata: Object.fromEntries(
      Object.entries(claimant.metadata).filter(
        ([, value]) => typeof value !== "string" || byteLength(value) <= SHORT_BYTES,
      ),
    ),
  }));
}

function bare(document: KeyDocument): KeyDocument {
  const short = (entry: Taken) => ({ ...entry, reason: cutToBytes(entry.reason, SHORT_BYTES) });
  const taken = document.taken.slice(0, 5).map(short);
  const superseded = document.superseded.slice(0, 5);
  const freeze = document.freeze && {
    ...document.freeze,
    reason: cutToBytes(document.freeze.reason, SHORT_BYTES),
  };
  return eachClaimant({ ...document, taken, superseded, freeze }, (claimant) => ({
    ...claimant,
    note: null,
    metadata: {},
  }));
}

function eachClaimant(
  document: KeyDocument,
  change: <T extends Claimant>(claimant: T) => T,
): KeyDocument {
  return { ...document, holders: document.holders.map(change), line: document.line.map(change) };
}

/**
 * Reads a document. Strict where a wrong guess would let two in: holders, line, slots and fence must
 * be whole. Lenient in the rest, and fields that this version does not know are carried along.
 */
export function parseDocument(text: string, key: string): KeyDocument {
  try {
    return readDocument(JSON.parse(text), key);
  } catch (error) {
    throw unreadable(key, messageOf(error), error);
  }
}

export function unreadable(key: string, why: string, cause?: unknown): LockError {
  return new LockError(
    "BAD_LOCK_FILE",
    `The lock document of ${quote(key)} cannot be read (${why.replace(/\.$/, "")}): nobody can take the lock before \`holdfast break\` has replaced it.`,
    { cause },
  );
}

type Fields = Record<string, unknown>;

function readDocument(value: unknown, key: string): KeyDocument {
  const fields = fieldsOf(value, "document");
  if (fields.v !== DOCUMENT_VERSION) {
    const version = typeof fields.v === "number" ? `version ${fields.v}` : "no version";
    throw new Error(`it has ${version}, and this Holdfast knows version ${DOCUMENT_VERSION}`);
  }
  if (fields.key !== key) throw new Error("it is another key's");
  return {
    ...emptyDocument(key),
    ...fields,
    v: DOCUMENT_VERSION,
    key,
    nonce: textOf(fields, "nonce"),
    nonces: listOf(fields, "nonces").filter((nonce) => typeof nonce === "string"),
    slots: wholeOf(fields, "slots", 1),
    fence: fields.fence === null ? null : wholeOf(fields, "fence", 0),
    holders: listOf(fields, "holders").map(readHolder),
    line: listOf(fields, "line").map(readWaiter),
    turn: typeof fields.turn === "string" ? fields.turn : null,
    ...(fields.freezeEnds === undefined ? {} : { freezeEnds: timeOf(fields, "freezeEnds") }),
    freeze: fields.freeze == null ? null : readFreeze(fieldsOf(fields.freeze, "freeze")),
    taken: lenientList(fields.taken, readTaken),
    superseded: lenientList(fields.superseded, readSuperseded),
    holds: readHolds(fields.holds),
  };
}

function readClaimant(fields: Fields): Claimant {
  return {
    ...fields,
    id: textOf(fields, "id"),
    owner: cleanText(textOf(fields, "owner")),
    digest: textOf(fields, "digest"),
    ttl: wholeOf(fields, "ttl", 1),
    deadAfter: wholeOf(fields, "deadAfter", 1),
    note: typeof fields.note === "string" ? cleanText(fields.note) : null,
    metadata: readMetadata(fields.metadata) as Metadata,
    life: readLife(fields.life),
    ...(typeof fields.run === "string" ? { run: fields.run } : {}),
  };
}

function readWaiter(value: unknown): WaiterEntry {
  const fields = fieldsOf(value, "line");
  const signed = fields.sign === undefined ? {} : { sign: textOf(fields, "sign") };
  return { ...readClaimant(fields), joined: timeOf(fields, "joined"), ...signed };
}

function readHolder(value: unknown): HolderEntry {
  const fields = fieldsOf(value, "holders");
  return {
    ...readClaimant(fields),
    fence: wholeOf(fields, "fence", 0),
    slot: wholeOf(fields, "slot", 0),
    since: timeOf(fields, "since"),
    waited: typeof fields.waited === "number" ? fields.waited : null,
    beat: textOf(fields, "beat"),
    refresh: textOf(fields, "refresh"),
    renewed: timeOf(fields, "renewed"),
    ...(fields.ends === undefined ? {} : { ends: timeOf(fields, "ends") }),
  };
}

function readFreeze(fields: Fields): Freeze {
  return {
    by: cleanText(textOf(fields, "by")),
    reason: cleanText(textOf(fields, "reason")),
    since: timeOf(fields, "since"),
    until: fields.until === null ? null : timeOf(fields, "until"),
  };
}

function readTaken(fields: Fields): Taken | null {
  const { fence, by, reason, how } = fields;
  if (typeof fence !== "number" || typeof by !== "string" || typeof reason !== "string")
    return null;
  const known = how === "break" || (RECLAIM_REASONS as readonly unknown[]).includes(how);
  return known
    ? { fence, by: cleanText(by), reason: cleanText(reason), how: how as Taken["how"] }
    : null;
}

function readSuperseded({ id, by, url }: Fields): Superseded | null {
  if (typeof id !== "string" || typeof by !== "string") return null;
  return { id, by: cleanText(by), url: typeof url === "string" ? cleanText(url) : null };
}

function lenientList<T>(value: unknown, read: (fields: Fields) => T | null): T[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((element) =>
    typeof element === "object" && element !== null ? (read(element as Fields) ?? []) : [],
  );
}

function fieldsOf(value: unknown, name: string): Fields {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Fields;
  throw new Error(`its ${name} is no object`);
}

function listOf(fields: Fields, name: string): unknown[] {
  const value = fields[name];
  if (Array.isArray(value)) return value;
  throw new Error(`its ${name} is no list`);
}

function textOf(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value === "string") return value;
  throw new Error(`its ${name} is no text`);
}

function timeOf(fields: Fields, name: string): string {
  const text = textOf(fields, name);
  if (!Number.isNaN(Date.parse(text))) return text;
  throw new Error(`its ${name} is no time`);
}

function wholeOf(fields: Fields, name: string, least: number): number {
  const value = fields[name];
  if (Number.isSafeInteger(value) && (value as number) >= least) return value as number;
  throw new Error(`its ${name} is no whole number`);
}
