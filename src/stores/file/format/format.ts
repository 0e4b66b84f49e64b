import { readMetadata } from "../../../lock/owner.ts";
import { cleanText, hasControl, jsonIn } from "../../../lock/text.ts";
import { instant, ownFields, readOwnFields, wholeNumber } from "./fields.ts";
import { type LockRecord, type OwnRecord, runEndOf } from "./record.ts";

/** The most bytes of a lock file: a larger file is not a lock, and must not fill our memory. */
export const LOCK_FILE_BYTES_LIMIT = 64 * 1024;

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Any bytes in; a record out. What cannot be understood is `unreadable`, never an exception. */
export function parseLock(bytes: Uint8Array): LockRecord {
  if (bytes.byteLength > LOCK_FILE_BYTES_LIMIT)
    return unreadable("it is too large for a lock file");
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    return unreadable("it is not UTF-8 text");
  }
  if (text.trim() === "") return unreadable("it is empty");
  if (text.includes("\0")) return unreadable("it contains NUL bytes");
  return text.trimStart().startsWith("{") ? parseJson(text) : parseSema(text);
}

function unreadable(problem: string): LockRecord {
  return { kind: "unreadable", problem };
}

function parseSema(text: string): LockRecord {
  const fields: Record<string, string> = Object.create(null);
  for (const line of text.split(/\r?\n/)) {
    const equals = line.indexOf("=");
    if (equals === -1) continue;
    const name = line.slice(0, equals).trim();
    // The first one counts, so that nothing appended later can replace a field.
    if (!(name in fields)) fields[name] = line.slice(equals + 1).trim();
  }
  const pid = wholeNumber(fields.pid);
  const timestamp = wholeNumber(fields.timestamp);
  if (pid === null) return unreadable("pid is missing or not a number");
  if (timestamp === null) return unreadable("timestamp is missing or not a number");
  const tag = cleanText(fields.tag ?? "").trim() || null;
  if (fields.holdfast !== undefined) {
    const own = readOwnFields(unquoteAll(fields), {
      format: "sema",
      owner: cleanText(unquote(fields.owner ?? "")),
      note: tag,
      ttl: Number(fields.ttl),
      metadata: jsonIn(fields.metadata ?? "{}"),
    });
    if (own) return own;
  }
  return { kind: "sema", pid, timestamp, tag };
}

function parseJson(text: string): LockRecord {
  const value = jsonIn(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return unreadable("it is not a JSON object");
  }
  const json = value as Record<string, unknown>;
  const legacy = typeof json.since === "number";
  const since = legacy ? wholeNumber(json.since) : instant(json.since);
  // The old format had numbers as owners as well: the pid.
  const owner = typeof json.owner === "number" ? String(json.owner) : json.owner;
  if (typeof owner !== "string" || owner === "") return unreadable("owner is missing or not text");
  if (since === null || Math.abs(since) > 8.64e15)
    return unreadable("since is missing or not a time");
  if (typeof json.ttl !== "number" || !Number.isFinite(json.ttl) || json.ttl < 0) {
    return unreadable("ttl is missing or not a number of seconds");
  }
  if (typeof json.holdfast === "object" && json.holdfast !== null) {
    const fields = json.holdfast as Record<string, unknown>;
    const own = readOwnFields(fields, {
      format: "json",
      owner: cleanText(owner),
      note: typeof fields.note === "string" ? cleanText(fields.note) : null,
      ttl: json.ttl,
      metadata: json.metadata,
    });
    if (own) return own;
  }
  const metadata = readMetadata(json.metadata);
  return { kind: "policy", legacy, owner: cleanText(owner), since, ttl: json.ttl, metadata };
}

/** The whole content of a lock file, never shorter than `atLeast` bytes: see `pad`. */
export function writeLock(record: OwnRecord, atLeast = 0): string {
  return pad(record.format === "json" ? writeJson(record) : writeSema(record), atLeast);
}

function writeSema(record: OwnRecord): string {
  const { holdfast, ...others } = ownFields(record);
  const fields: [string, unknown][] = [
    ["pid", record.process.pid],
    ["timestamp", Math.floor(freshUntil(record) / 1_000)],
    ["tag", cleanText(record.note ?? "")],
    ["owner", record.owner],
    ["ttl", record.ttl],
    ["holdfast", holdfast],
    ...Object.entries(others),
    ["metadata", JSON.stringify(record.metadata)],
  ];
  return fields
    .filter(([, value]) => value !== null && value !== "")
    .map(
      ([name, value]) =>
        `${name}=${name === "metadata" || name === "tag" ? value : quoteValue(value)}\n`,
    )
    .join("");
}

/** By the sema specs a lock is stale, as a rule, so long after its timestamp. */
const SEMA_STALE_MS = 3_600_000;

/**
 * The time that foreign readers take for the lock's age. Every heartbeat refreshes it, so a living holder never
 * looks stale to them. A run's hold has no heartbeat: there the time may lie in the future, so that the lock
 * gets stale for them when it ends.
 */
function freshUntil(record: OwnRecord): number {
  const end = runEndOf(record);
  return end === null ? record.beaten : Math.max(record.beaten, end - SEMA_STALE_MS);
}

function writeJson(record: OwnRecord): string {
  const fields = ownFields(record);
  const json = {
    owner: record.owner,
    since: fields.refreshed,
    ttl: record.ttl,
    metadata: record.metadata,
    holdfast: { ...fields, note: record.note },
  };
  return `${JSON.stringify(json, null, 2)}\n`;
}

/** Readers trim values and tags may hold anything: text that trimming would change is quoted. */
function quoteValue(value: unknown): string {
  const text = String(value);
  const plain = text === text.trim() && !text.startsWith('"') && !hasControl(text);
  return plain ? text : JSON.stringify(text);
}

function unquote(value: string): string {
  if (!value.startsWith('"')) return value;
  const parsed = jsonIn(value);
  return typeof parsed === "string" ? parsed : value;
}

function unquoteAll(fields: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, unquote(value)]));
}

/**
 * A heartbeat rewrites the file in place. The file may not become shorter, or its old tail would show; every
 * reader of either format ignores blank lines.
 */
function pad(text: string, atLeast: number): string {
  const missing = atLeast - Buffer.byteLength(text, "utf8");
  return missing > 0 ? text + "\n".repeat(missing) : text;
}
