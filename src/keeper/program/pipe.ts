import { readSync } from "node:fs";
import { systemCode } from "../../lock/errors.ts";

const CHUNK_BYTES = 64 * 1024;
const NEWLINE = 0x0a;
/** Where a system has made the pipe one that does not wait. */
const RETRY_MS = 5;

/** Reads lines from an open descriptor, waiting for each with everything else: see `Starter`. */
export class LinePipe {
  readonly #descriptor: number;
  #rest: Buffer = Buffer.alloc(0);

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  /** Null at its end. */
  next(): string | null {
    for (;;) {
      const end = this.#rest.indexOf(NEWLINE);
      if (end !== -1) {
        const line = this.#rest.toString("utf8", 0, end);
        this.#rest = this.#rest.subarray(end + 1);
        return line;
      }
      const more = this.#read();
      if (more.length === 0) return null;
      this.#rest = Buffer.concat([this.#rest, more]);
    }
  }

  /** What was read and is not yet a line, for whoever goes on reading. */
  rest(): Buffer {
    return this.#rest;
  }

  #read(): Buffer {
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    for (;;) {
      try {
        return buffer.subarray(0, readSync(this.#descriptor, buffer));
      } catch (error) {
        if (systemCode(error) !== "EAGAIN") return buffer.subarray(0, 0);
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
      }
    }
  }
}
