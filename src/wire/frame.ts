import { LINE_LIMIT } from "./request.ts";

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const NOTHING = Buffer.alloc(0);

/**
 * Where the three lines of a request are in the bytes, without newline and carriage returns. One
 * object is reused: with a request every few microseconds, new objects would be much garbage.
 */
export class Frame {
  bytes: Buffer = NOTHING;
  commandStart = 0;
  commandEnd = 0;
  keyStart = 0;
  keyEnd = 0;
  argumentStart = 0;
  argumentEnd = 0;

  /** Finds the next three lines and returns where they end, or one of the two numbers below. */
  locate(bytes: Buffer, start: number): number {
    const first = endOfLine(bytes, start);
    if (first < 0) return first;
    const second = endOfLine(bytes, first + 1);
    if (second < 0) return second;
    const third = endOfLine(bytes, second + 1);
    if (third < 0) return third;
    this.bytes = bytes;
    this.commandStart = start;
    this.commandEnd = withoutReturn(bytes, start, first);
    this.keyStart = first + 1;
    this.keyEnd = withoutReturn(bytes, first + 1, second);
    this.argumentStart = second + 1;
    this.argumentEnd = withoutReturn(bytes, second + 1, third);
    return third + 1;
  }

  /** Drops the bytes: an idle connection must not keep a chunk in memory. */
  clear(): void {
    this.bytes = NOTHING;
  }
}

export const INCOMPLETE = -1;
export const TOO_LONG = -2;

function endOfLine(bytes: Buffer, start: number): number {
  const end = Math.min(bytes.length, start + LINE_LIMIT + 1);
  for (let position = start; position < end; position += 1) {
    if (bytes[position] === NEWLINE) return position;
  }
  return bytes.length - start > LINE_LIMIT ? TOO_LONG : INCOMPLETE;
}

function withoutReturn(bytes: Buffer, start: number, end: number): number {
  let last = end;
  while (last > start && bytes[last - 1] === RETURN) last -= 1;
  return last;
}
