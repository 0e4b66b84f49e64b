import type { LockError } from "../lock/errors.ts";
import type { Io } from "./io.ts";

/** C0, DEL, C1 and the two line separators: they move the cursor, colour the screen or forge a line. */
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;
/** Marks that turn the direction of text, with which a line can be made to read as another. */
const DIRECTIONS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Text for a terminal, on one line. Owners, notes and run addresses come from files that others
 * wrote: nothing in them may reach the terminal as anything but letters.
 */
export function showable(text: string): string {
  return text.toWellFormed().replace(CONTROLS, " ").replace(DIRECTIONS, "\ufffd");
}

/** One JSON document, with the same characters escaped: equal for a parser, harmless on a terminal. */
export function jsonText(value: unknown): string {
  const escaped = (character: string) =>
    `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(value)
    .replace(/[\u007f-\u009f\u2028\u2029]/g, escaped)
    .replace(DIRECTIONS, escaped);
}

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
  io.stdout.write(`${jsonText({ error: { code: error.code, message: error.message } })}\n`);
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

/** Quotes a word for a POSIX shell where it needs that, for commands that a user may copy. */
export function shellWord(text: string): string {
  if (/^[\w./:@%+=-]+$/.test(text)) return text;
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
