import { closeSync, openSync, readSync, writeSync } from "node:fs";

/**
 * What happened, in the order in which it happened: one file, to which all processes append one
 * short line in one write. The kernel puts such writes one after the other, so a line that was
 * written before another one began stands before it, whichever process wrote it.
 */
export interface Journal {
  /** After the lock was granted. */
  enter(name: string, fence: number | null, waitMs: number): void;
  /** Before the lock is released. */
  leave(name: string, fence: number | null): void;
  /** Before a process is killed: only then can nobody inherit its lock earlier than this line. */
  killing(name: string): void;
  /** After a process has ended. */
  ended(name: string): void;
  /** A remark of a test, for its own use. */
  note(name: string, text: string): void;
  close(): void;
}

export type Entry =
  | { readonly kind: "enter"; readonly name: string; readonly fence: number | null; wait: number }
  | { readonly kind: "leave"; readonly name: string; readonly fence: number | null }
  | { readonly kind: "killing" | "ended"; readonly name: string }
  | { readonly kind: "note"; readonly name: string; readonly text: string };

export function openJournal(path: string): Journal {
  const handle = openSync(path, "a");
  const write = (line: string) => {
    const bytes = Buffer.from(`${line}\n`, "utf8");
    // A second write could land behind somebody else's line.
    if (writeSync(handle, bytes) !== bytes.length) throw new Error(`${path}: a line was cut`);
  };
  return {
    enter: (name, fence, waitMs) =>
      write(`E ${name} ${fence ?? "-"} ${Math.round(waitMs * 1_000)}`),
    leave: (name, fence) => write(`L ${name} ${fence ?? "-"}`),
    killing: (name) => write(`K ${name}`),
    ended: (name) => write(`X ${name}`),
    note: (name, text) => write(`N ${name} ${text}`),
    close: () => closeSync(handle),
  };
}

export function parseEntry(line: string): Entry {
  const [letter, name = "", fence = "-", wait = "0"] = line.split(" ");
  const number = fence === "-" ? null : Number(fence);
  switch (letter) {
    case "E":
      return { kind: "enter", name, fence: number, wait: Number(wait) / 1_000 };
    case "L":
      return { kind: "leave", name, fence: number };
    case "K":
      return { kind: "killing", name };
    case "X":
      return { kind: "ended", name };
    case "N":
      return { kind: "note", name, text: line.slice(`N ${name} `.length) };
    default:
      throw new Error(`not a line of a journal: ${JSON.stringify(line)}`);
  }
}

/** Reads a journal that still grows: each call gives the entries that came since the last one. */
export class JournalReader {
  readonly #handle: number;
  readonly #buffer = Buffer.alloc(256 * 1024);
  #position = 0;
  #rest = "";

  constructor(path: string) {
    this.#handle = openSync(path, "a+");
  }

  read(): Entry[] {
    const entries: Entry[] = [];
    for (;;) {
      const length = readSync(this.#handle, this.#buffer, 0, this.#buffer.length, this.#position);
      if (length === 0) return entries;
      this.#position += length;
      const lines = (this.#rest + this.#buffer.toString("latin1", 0, length)).split("\n");
      this.#rest = lines.pop() ?? "";
      for (const line of lines) entries.push(parseEntry(line));
    }
  }

  close(): void {
    closeSync(this.#handle);
  }
}
