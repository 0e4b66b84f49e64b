import { showable } from "../lock/text.ts";
import type { Io, Output } from "./io.ts";

/** Red: somebody has to act. Yellow: it needs a look. Dim: unimportant. */
const COLOURS = { red: 31, yellow: 33, green: 32, dim: 2, bold: 1 } as const;
export type Colour = keyof typeof COLOURS;

/** How lines reach a reader: on a terminal coloured and within its width, else plain and whole. */
export interface Screen {
  /** Null: lines are not broken. */
  readonly columns: number | null;
  paint(text: string, colour: Colour | undefined): string;
}

export function screenOf(output: Output, env: Io["env"]): Screen {
  const isDumb = !output.isTerminal || env.TERM === "dumb";
  const isPlain = isDumb || Boolean(env.NO_COLOR);
  return {
    // The last column stays free: writing there would move some terminals to the next line.
    columns: output.isTerminal ? output.columns() - 1 : null,
    paint: (text, colour) =>
      isPlain || colour === undefined || text === ""
        ? text
        : `\u001b[${COLOURS[colour]}m${text}\u001b[0m`,
  };
}

/** A part of a line. Others may have written its text: control sequences are removed from it. */
export interface Cell {
  readonly text: string;
  readonly colour?: Colour;
}

/** The widest a column gets: one long cell must not push other columns off the screen. */
const CELL_COLUMNS = 40;
/** The least width for the last cell beside the others. */
const LEAST_COLUMNS = 24;

/**
 * Rows of cells in aligned columns. The last cell of a row has the rest of the line; where a terminal is
 * too narrow for it, it goes on below its own beginning.
 */
export function aligned(rows: readonly (readonly Cell[])[], screen: Screen, indent = 0): string {
  const shown = rows.map((row) => row.map((cell) => ({ ...cell, text: showable(cell.text) })));
  const widths: number[] = [];
  for (const row of shown) {
    for (const [column, { text }] of row.slice(0, -1).entries()) {
      const width = Math.min(CELL_COLUMNS, widthOf(text));
      widths[column] = Math.max(widths[column] ?? 0, width);
    }
  }
  return shown.map((row) => lineOf(row, widths, screen, indent)).join("");
}

function lineOf(row: readonly Cell[], widths: readonly number[], screen: Screen, indent: number) {
  let line = " ".repeat(indent);
  let used = indent;
  for (const [column, { text, colour }] of row.slice(0, -1).entries()) {
    const gap = Math.max(0, (widths[column] ?? 0) - widthOf(text));
    // A column that no row needs takes no room.
    const space = widths[column] === 0 ? "" : " ".repeat(gap + 2);
    line += screen.paint(text, colour) + space;
    used += widthOf(text) + space.length;
  }
  const { text = "", colour } = row.at(-1) ?? {};
  const room = screen.columns === null ? Number.POSITIVE_INFINITY : screen.columns - used;
  const parts = room < LEAST_COLUMNS ? [text] : wrapped(text, room);
  const [first = "", ...more] = parts.map((part) => screen.paint(part, colour));
  const below = more.map((part) => `${" ".repeat(used)}${part}\n`).join("");
  return `${`${line}${first}`.trimEnd()}\n${below}`;
}

const INVISIBLE = /^(?:\p{M}|[\u200b-\u200d])$/u;
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f000}-\u{1faff}\u{20000}-\u{3fffd}]$/u;

/** How many columns of a terminal a text takes. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += widthOfCharacter(character);
  return width;
}

function widthOfCharacter(character: string): number {
  return INVISIBLE.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
}

/** Breaks a text into lines of at most so many columns, between words; a longer word is broken itself. */
export function wrapped(text: string, columns: number): string[] {
  if (columns === Number.POSITIVE_INFINITY || widthOf(text) <= columns) return [text];
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (widthOf(longer) <= columns) {
      line = longer;
      continue;
    }
    if (line !== "") lines.push(line);
    const pieces = piecesOf(word, columns);
    lines.push(...pieces.slice(0, -1));
    line = pieces.at(-1) ?? "";
  }
  return line === "" ? lines : [...lines, line];
}

function piecesOf(word: string, columns: number): string[] {
  const pieces = [""];
  for (const character of word) {
    const piece = (pieces.at(-1) ?? "") + character;
    if (widthOf(piece) <= columns) pieces[pieces.length - 1] = piece;
    else pieces.push(character);
  }
  return pieces;
}
