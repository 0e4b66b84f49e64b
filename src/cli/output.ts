import { type LockError, SupersededError } from "../lock/errors.ts";
import { KEY_BYTES_LIMIT } from "../lock/key.ts";
import { jsonText, quote, showable } from "../lock/text.ts";
import type { Io } from "./io.ts";

/**
 * A reason as the end of a sentence. Some reasons are whole sentences already, with the key that the
 * sentence has just named.
 */
export function sentence(reason: string, key: string): string {
  const again = `The lock ${JSON.stringify(key)} was lost: `;
  const end = reason.startsWith(again) ? reason.slice(again.length) : reason;
  return end.endsWith(".") ? end : `${end}.`;
}

/** One line for people, on stderr, since stdout may carry other output. */
export function say(io: Io, sentence: string): void {
  io.stderr.write(`holdfast: ${showable(sentence)}\n`);
}

export function reportError(error: LockError, io: Io, json: boolean): void {
  say(io, error.message);
  if (json) reportJson(error, io);
}

export function reportJson(error: LockError, io: Io): void {
  const { code, message } = error;
  const newer = error instanceof SupersededError ? { by: error.by, url: error.url } : {};
  io.stdout.write(`${jsonText({ error: { code, message, ...newer } })}\n`);
}

/**
 * A key where it begins a line: in quotes unless it begins as names do. Some beginnings mean
 * something to a CI runner (`::error::`, `--- `), and a key is text that others chose.
 */
export function lineName(key: string): string {
  return /^(?:[\p{L}\p{N}_./@]|-(?!-- ))/u.test(key) ? key : quote(key, KEY_BYTES_LIMIT);
}
