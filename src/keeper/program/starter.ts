import { readSync, writeSync } from "node:fs";
import { Socket } from "node:net";
import { systemCode } from "../../lock/errors.ts";
import type { Hold } from "../../lock/history.ts";
import type { Lease } from "../../lock/store.ts";
import { jsonIn, jsonObject } from "../../lock/text.ts";
import {
  ACKNOWLEDGED,
  DISMISSED,
  type Message,
  newLineReader,
  readLines,
  type Task,
} from "../protocol.ts";

const STDIN = 0;
const STDOUT = 1;
const CHUNK_BYTES = 64 * 1024;
/** The pause between two reads, if the pipe is non-blocking. */
const RETRY_MS = 5;

/**
 * The process that started this one, at the other end of two pipes; its end closes them, however it
 * ends. Its first lines are read synchronously: the keeper has nothing else to do yet, and to read
 * them by events would take Node longer to set up than all the rest.
 */
export class Starter {
  readonly #lines = newLineReader();
  readonly #stdin: number;
  #tookLeave = false;

  /** `stdin`: an open descriptor. Only tests name another. */
  constructor(stdin = STDIN) {
    this.#stdin = stdin;
  }

  /** The keeper's task; null where the starter ended before it gave one. */
  task(): Task | null {
    return this.#object() as Task | null;
  }

  /** The lease that the starter claimed in this process's name; null where it ended before it had it. */
  lease(): Lease | null {
    return this.#object() as Lease | null;
  }

  /** Whether the starter said goodbye before it ended. */
  get tookLeave(): boolean {
    return this.#tookLeave;
  }

  readonly tell = (message: Message): void => {
    try {
      writeSync(STDOUT, `${JSON.stringify(message)}\n`);
    } catch {
      // Nobody reads this pipe any more: the end of the other pipe shows that as well.
    }
  };

  /** Listens to the starter by events from here on. */
  listen(): ListenedStarter {
    const acknowledged = Promise.withResolvers<boolean>();
    const gone = new AbortController();
    let past: readonly Hold[] = [];
    const onLine = (line: string) => {
      const value = jsonIn(line);
      if (line === ACKNOWLEDGED) acknowledged.resolve(true);
      else if (Array.isArray(value)) past = value;
    };
    const onEnd = () => {
      acknowledged.resolve(false);
      gone.abort();
    };
    // Not process.stdin: Node takes time to find out what kind of stream that is.
    const stdin = new Socket({ fd: this.#stdin, readable: true, writable: false });
    readLines(stdin, onLine, onEnd, this.#lines);
    return {
      gone: gone.signal,
      acknowledged: acknowledged.promise,
      past: async () => past,
      close: () => {
        stdin.destroy();
      },
    };
  }

  #object(): Record<string, unknown> | null {
    const line = this.nextLine();
    if (line === DISMISSED) this.#tookLeave = true;
    return line === null ? null : jsonObject(line);
  }

  /** Waits for the next line, and blocks everything else meanwhile. Null at the end. */
  nextLine(): string | null {
    for (;;) {
      const line = this.#lines.next();
      if (line !== null) return line;
      const chunk = this.#read();
      if (chunk.length === 0 || this.#lines.tooLong) return null;
      this.#lines.push(chunk);
    }
  }

  #read(): Buffer {
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    for (;;) {
      try {
        return buffer.subarray(0, readSync(this.#stdin, buffer));
      } catch (error) {
        if (systemCode(error) !== "EAGAIN") return buffer.subarray(0, 0);
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
      }
    }
  }
}

export interface ListenedStarter {
  /** Fires when the starter ends before it knows about the grant. */
  readonly gone: AbortSignal;
  /** True once it knows; false if it ended before. */
  readonly acknowledged: Promise<boolean>;
  /** What it had read of the key's history when it acknowledged. */
  past(): Promise<readonly Hold[]>;
  close(): void;
}
