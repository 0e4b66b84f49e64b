import { byteLength, cleanText, cutToBytes } from "../../lock/text.ts";
import { readTime } from "../../lock/time.ts";

/** Fields of a JSON object that strangers may have written, each read with its bounds. */
export type Fields = Record<string, unknown>;

/** Ids, nonces and digests have 64 characters at most. */
const NAME_BYTES = 200;
/** The longest list that is read: longer than any that fits into a document. */
const LIST_LIMIT = 1_000;

export function lenientList<T>(value: unknown, read: (fields: Fields) => T | null): T[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((element) =>
    typeof element === "object" && element !== null ? (read(element as Fields) ?? []) : [],
  );
}

/** Text that is only shown: a text that is too long is cut. */
export function shown(text: string, bytes: number): string {
  return cutToBytes(cleanText(text), bytes);
}

export function isName(value: unknown): value is string {
  return typeof value === "string" && byteLength(value) <= NAME_BYTES;
}

export function fieldsOf(value: unknown, name: string): Fields {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Fields;
  throw new Error(`its ${name} is no object`);
}

export function listOf(fields: Fields, name: string): unknown[] {
  const value = fields[name];
  if (Array.isArray(value) && value.length <= LIST_LIMIT) return value;
  throw new Error(`its ${name} is no list of at most ${LIST_LIMIT}`);
}

export function textOf(fields: Fields, name: string, bytes = NAME_BYTES): string {
  const value = fields[name];
  if (typeof value === "string" && byteLength(value) <= bytes) return value;
  throw new Error(`its ${name} is no text of at most ${bytes} bytes`);
}

/** A time as this version would write it, so that every time in a document is equally long. */
export function timeOf(fields: Fields, name: string): string {
  const time = readTime(fields[name]);
  if (time !== null) return time;
  throw new Error(`its ${name} is no time`);
}

export function isWhole(value: unknown, least: number, most: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most;
}

export function wholeOf(fields: Fields, name: string, least: number, most: number): number {
  const value = fields[name];
  if (isWhole(value, least, most)) return value;
  throw new Error(`its ${name} is no whole number from ${least} to ${most}`);
}
