import { LockError } from "./errors.ts";
import { byteLength, cleanText, hasControl, quote, sha256 } from "./text.ts";
import { isEnvironment, isPurpose } from "./ttl.ts";

export const OWNER_BYTES_LIMIT = 256;
export const NOTE_BYTES_LIMIT = 1_000;
const METADATA_VALUE_BYTES_LIMIT = 1_000;

/** Who claims: an id that is unique to a run, and what is known about it. */
export interface Owner {
  readonly id: string;
  readonly metadata: Metadata;
}

export type MetadataValue = string | number | boolean;
export type Metadata = Readonly<Record<string, MetadataValue>>;

/** Fields of the lock policy, then those of CI, then what Holdfast itself adds on a reclaim or a migration. */
export const METADATA_FIELDS = [
  "hostname",
  "process_id",
  "user_identity",
  "session_id",
  "environment",
  "purpose",
  "ci_system",
  "run_id",
  "run_attempt",
  "job",
  "workflow",
  "repository",
  "ref",
  "sha",
  "actor",
  "run_url",
  "reclaimed_from",
  "reclaimed_reason",
  "migrated",
  "migrated_at",
  "run_number",
  "command",
] as const;

/** Fields that servers of the first version refuse. */
export const LATER_FIELDS: readonly string[] = ["run_number", "command"];

export function parseOwnerId(text: string): string {
  if (text.trim() === "") {
    throw new LockError(
      "BAD_OWNER",
      "The owner is empty: name who takes the lock, or leave it out.",
    );
  }
  if (!text.isWellFormed() || hasControl(text)) {
    throw new LockError(
      "BAD_OWNER",
      `The owner ${quote(text)} contains a control character: use printable text.`,
    );
  }
  if (byteLength(text) > OWNER_BYTES_LIMIT) {
    throw new LockError(
      "BAD_OWNER",
      `The owner ${quote(text, 40)} has ${byteLength(text)} bytes: use at most ${OWNER_BYTES_LIMIT}.`,
    );
  }
  return text;
}

/** The note becomes the tag of a lock file: control characters become spaces, so it can forge no field. */
export function parseNote(text: string): string {
  const note = cleanText(text.toWellFormed()).trim();
  if (byteLength(note) > NOTE_BYTES_LIMIT) {
    throw new LockError(
      "BAD_NOTE",
      `The note has ${byteLength(note)} bytes: use at most ${NOTE_BYTES_LIMIT}.`,
    );
  }
  return note;
}

/** Strict, for what a caller hands in. What a file holds is read with `readMetadata` instead. */
export function checkMetadata(value: unknown): Metadata {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new LockError("BAD_METADATA", "The metadata is not an object of named values.");
  }
  for (const [field, content] of Object.entries(value)) {
    if (!(METADATA_FIELDS as readonly string[]).includes(field)) {
      throw new LockError(
        "BAD_METADATA",
        `The metadata field ${quote(field)} is not known: use ${METADATA_FIELDS.join(", ")}.`,
      );
    }
    checkMetadataValue(field, content);
  }
  return value as Metadata;
}

function checkMetadataValue(field: string, content: unknown): void {
  const kind = typeof content;
  if (kind !== "string" && kind !== "number" && kind !== "boolean") {
    throw new LockError("BAD_METADATA", `The metadata field ${field} must be text or a number.`);
  }
  if (typeof content === "string") {
    if (hasControl(content) || byteLength(content) > METADATA_VALUE_BYTES_LIMIT) {
      throw new LockError(
        "BAD_METADATA",
        `The metadata field ${field} must be printable text of at most ${METADATA_VALUE_BYTES_LIMIT} bytes.`,
      );
    }
  }
  if (typeof content === "number" && !Number.isFinite(content)) {
    throw new LockError("BAD_METADATA", `The metadata field ${field} is not a finite number.`);
  }
  if (field === "environment" && !isEnvironment(content)) {
    throw new LockError(
      "BAD_METADATA",
      `The metadata field environment is not known: ${quote(String(content))}.`,
    );
  }
  if (field === "purpose" && !isPurpose(content)) {
    throw new LockError(
      "BAD_METADATA",
      `The metadata field purpose is not known: ${quote(String(content))}.`,
    );
  }
}

/** Lenient, for what a file holds: unknown fields are kept, values that are not plain are left out. */
export function readMetadata(value: unknown): Metadata {
  const metadata: Record<string, MetadataValue> = {};
  if (typeof value !== "object" || value === null || Array.isArray(value)) return metadata;
  for (const [field, content] of Object.entries(value)) {
    if (field === "__proto__" || hasControl(field)) continue;
    if (typeof content === "string") metadata[field] = cleanText(content);
    else if (
      typeof content === "boolean" ||
      (typeof content === "number" && Number.isFinite(content))
    ) {
      metadata[field] = content;
    }
  }
  return metadata;
}

/** Local development: one process on one host. */
export function localOwnerId(pid: number, hostname: string): string {
  return `pid-${pid}@${hostname}`;
}

/** Several people or sessions on one system. */
export function sessionOwnerId(user: string, session: string): string {
  return `user-${user}@session-${session}`;
}

/**
 * Cloud sessions that are known by a token. A JWT is named by its first 20 characters: they are its
 * header, which is no secret. Any other token is named by its digest, since all of it is secret.
 */
export function tokenOwnerId(token: string): string {
  const isJwt = /^eyJ[\w-]+\.[\w-]+\.[\w-]*$/.test(token);
  const shown = isJwt ? token : sha256(token);
  return `token-${shown.slice(0, 20)}`;
}

/** CI: the parts that tell one run of one job from every other. Empty parts are left out. */
export function ciOwnerId(system: string, ...parts: (string | undefined)[]): string {
  const known = parts.filter((part): part is string => part !== undefined && part !== "");
  return ["ci", system, ...known]
    .map((part) => cleanText(part).trim().replace(/\s+/g, "_"))
    .join("-");
}

/** The pid and host of an owner in the local form, or null for any other form. */
export function parseLocalOwnerId(id: string): { pid: number; hostname: string } | null {
  const match = /^pid-(\d{1,10})@(.+)$/.exec(id);
  return match ? { pid: Number(match[1]), hostname: match[2] as string } : null;
}
