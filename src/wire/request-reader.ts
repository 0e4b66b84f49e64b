import { Frame, INCOMPLETE, TOO_LONG } from "./frame.ts";
import type { Request } from "./request.ts";
import { parseRequest } from "./request-parser.ts";
import { type Violation, violations } from "./violation.ts";

const NOTHING = Buffer.alloc(0);

/** Shared by all readers: a request is parsed in one go, and nothing else runs meanwhile. */
const frame = new Frame();

/**
 * Reads requests from bytes. Chunks may cut requests anywhere and may hold many. After a violation
 * nothing more is read: where one request ends and the next begins is no longer certain.
 */
export class RequestReader {
  violation: Violation | null = null;
  #bytes: Buffer = NOTHING;
  #start = 0;

  /** Bytes that were received and not yet returned as requests. */
  get buffered(): number {
    return this.#bytes.length - this.#start;
  }

  push(chunk: Buffer): void {
    this.#bytes =
      this.buffered === 0 ? chunk : Buffer.concat([this.#bytes.subarray(this.#start), chunk]);
    this.#start = 0;
  }

  /** The next complete request; null when there is none, or when `violation` is set. */
  next(): Request | null {
    if (this.violation !== null || this.#start === this.#bytes.length) return null;
    const end = frame.locate(this.#bytes, this.#start);
    if (end === INCOMPLETE) return null;
    if (end === TOO_LONG) {
      this.violation = violations.length;
      return null;
    }
    const parsed = parseRequest(frame);
    frame.clear();
    this.#start = end;
    if (end === this.#bytes.length) this.clear();
    if ("command" in parsed) return parsed;
    this.violation = parsed;
    return null;
  }

  clear(): void {
    this.#bytes = NOTHING;
    this.#start = 0;
  }
}
