import { type LockError, SupersededError } from "../lock/errors.ts";
import { KEY_BYTES_LIMIT } from "../lock/key.ts";
import { jsonText, quote, showable } from "../lock/text.ts";
import type { Io } from "./io.ts";

/** A reason as the end of a sentence: some are whole ones already. */
export function sentence(reason: string): string {
  return reason.endsWith(".") ? reason : `${reason}.`;
}

/** One line for people, beside whatever stdout carries. */
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

const INVISIBLE = /^(?:\p{M}|[\u200b-\u200d])$/u;
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f000}-\u{1faff}\u{20000}-\u{3fffd}]$/u;

/** Cuts a line to the columns that it may take; a wrapped line could not be redrawn in place. */
export function cutToColumns(text: string, columns: number): string {
  let width = 0;
  let end = 0;
  let cut = 0;
  for (const character of text) {
    width += INVISIBLE.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
    if (width > columns) return `${text.slice(0, cut)}…`;
    end += character.length;
    if (width < columns) cut = end;
  }
  return text;
}

/**
 * A key where it begins a line: in quotes unless it begins as names do. Some beginnings mean
 * something to a CI runner (`::error::`, `--- `), and a key is text that others chose.
 */
export function lineName(key: string): string {
  return /^(?:[\p{L}\p{N}_./@]|-(?!-- ))/u.test(key) ? key : quote(key, KEY_BYTES_LIMIT);
}
