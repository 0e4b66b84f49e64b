/** How long a reply may be. The real server's `stats` stays below this, and so does ours. */
export const REPLY_LIMIT = 1_048_576;

const NEWLINE = 0x0a;

/**
 * Reads reply lines from bytes, for clients. A line may be as long as a `stats` reply, and arrives in
 * pieces; the pieces are joined once, at the newline.
 */
export class LineReader {
  /** Set when a line grew beyond the limit: the other side does not speak the protocol. */
  tooLong = false;
  readonly #limit: number;
  #pieces: Buffer[] = [];
  #length = 0;
  readonly #lines: string[] = [];

  constructor(limit = REPLY_LIMIT) {
    this.#limit = limit;
  }

  push(chunk: Buffer): void {
    let start = 0;
    while (!this.tooLong) {
      const end = chunk.indexOf(NEWLINE, start);
      const piece = chunk.subarray(start, end === -1 ? chunk.length : end);
      this.#length += piece.length;
      if (this.#length > this.#limit) {
        this.tooLong = true;
        this.#pieces = [];
        return;
      }
      if (piece.length > 0) this.#pieces.push(piece);
      if (end === -1) return;
      this.#lines.push(this.#join());
      start = end + 1;
    }
  }

  next(): string | null {
    return this.#lines.shift() ?? null;
  }

  #join(): string {
    const whole =
      this.#pieces.length === 1 ? (this.#pieces[0] as Buffer) : Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#length = 0;
    return whole.toString("utf8").replace(/\r+$/, "");
  }
}
