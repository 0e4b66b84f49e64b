const SPACE = 0x20;
const NOTHING = Buffer.alloc(0);

/** The white space that separates arguments: space, tab, and their ASCII relatives. */
function isBlank(byte: number): boolean {
  return byte === SPACE || (byte >= 0x09 && byte <= 0x0d);
}

/** How many fields are kept. No command takes more than three; a fourth is kept only to be refused. */
const FIELDS_KEPT = 4;

/** Where the fields of an argument line are. One object is reused, like the frame. */
export class Fields {
  count = 0;
  readonly #starts = new Int32Array(FIELDS_KEPT);
  readonly #ends = new Int32Array(FIELDS_KEPT);
  #bytes: Buffer = NOTHING;

  split(bytes: Buffer, start: number, end: number): void {
    this.#bytes = bytes;
    this.count = 0;
    let position = start;
    while (this.count < FIELDS_KEPT) {
      while (position < end && isBlank(bytes[position] as number)) position += 1;
      if (position === end) return;
      this.#starts[this.count] = position;
      while (position < end && !isBlank(bytes[position] as number)) position += 1;
      this.#ends[this.count] = position;
      this.count += 1;
    }
  }

  text(index: number): string {
    return this.#bytes.toString("latin1", this.#starts[index], this.#ends[index]);
  }

  integer(index: number): number {
    return parseInteger(this.#bytes, this.#starts[index] as number, this.#ends[index] as number);
  }

  clear(): void {
    this.#bytes = NOTHING;
    this.count = 0;
  }
}

/** How many digits a number may have: as many as a 64-bit integer. */
const DIGITS_LIMIT = 19;

/** Parses an integer; NaN where it is none. Numbers too large for a double are cut to the largest safe one. */
function parseInteger(bytes: Buffer, start: number, end: number): number {
  let position = start;
  const sign = bytes[position];
  if (sign === 0x2b || sign === 0x2d) position += 1;
  if (position === end || end - position > DIGITS_LIMIT) return Number.NaN;
  let value = 0;
  for (; position < end; position += 1) {
    const digit = (bytes[position] as number) - 0x30;
    if (digit < 0 || digit > 9) return Number.NaN;
    value = value * 10 + digit;
  }
  value = Math.min(value, Number.MAX_SAFE_INTEGER);
  return sign === 0x2d ? -value : value;
}
