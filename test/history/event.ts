import { closeSync, openSync, readSync, writeSync } from "node:fs";

/**
 * A history is what happened in a run, as its processes saw it: one JSON line an event, by one clock.
 * `at` is microseconds of the machine's monotonic clock, which all processes share.
 *
 * An event that begins something is written before it is done, and one that ends something after it:
 * so a history never says that a lock was held for longer than it was. Each line is one write to the
 * end of one file, and the kernel puts such writes one after the other: a line that was written before
 * another one began stands before it. So the order of the lines is the order of the events, also where
 * a process is stopped between its look at the clock and its write.
 */
export type Event = ClaimEvent | ProcessEvent | BreakEvent | OutageEvent;

interface Noted {
  readonly at: number;
  readonly process: string;
}

/** What a process does with one claim. */
export type ClaimEvent = Noted & {
  readonly key: string;
  /** Of this claim alone. */
  readonly claim: string;
} & (
    | {
        readonly event: "claim";
        readonly slots: number;
        /** How many of the slots it takes; left out: 1. */
        readonly weight?: number;
        /** Left out: 0. Order is promised among claims of one priority. */
        readonly priority?: number;
        /** False: it only keeps its place in line until it is ready. Left out: true. */
        readonly ready?: boolean;
      }
    /** It was seen to stand in line: who claims after this has to stand behind it. */
    | { readonly event: "joined" }
    /** It is told that it may take the lock. */
    | { readonly event: "ready" }
    /** It was seen to stand in line, ready. One that was ready from the start is that when it joined. */
    | { readonly event: "stands" }
    /** It lost its place without a fault of its own, such as by a broken connection. */
    | { readonly event: "rejoined" }
    | { readonly event: "granted"; readonly fence: number | null }
    | { readonly event: "gave-up" }
    | { readonly event: "release"; readonly fence: number | null }
    | {
        readonly event: "released";
        readonly fence: number | null;
        /** Unknown: the store could not be reached, and ends it by itself in time. */
        readonly outcome: "released" | "already-gone" | "unknown";
      }
    | { readonly event: "lost" }
  );

/**
 * What is done to a process. The note is written before the signal is sent; `ended` is written after
 * the process was seen to be gone, and nothing more is heard of its claims.
 */
export type ProcessEvent = Noted & { readonly event: "kill" | "stop" | "continue" | "ended" };

/** Somebody takes the key from all its holders. */
export type BreakEvent = Noted & { readonly event: "break"; readonly key: string };

/**
 * The store was away. After an `outage`, such as a broken network, claims that wait may have lost their
 * places. A `restart` is that of a server which keeps its line: its note is written before the server
 * is killed or stopped, and those that were in its line by then have their places when it is back.
 */
export type OutageEvent = Noted & { readonly event: "outage" | "restart" };

/** Now, by the clock of histories. */
export function now(): number {
  return Number(process.hrtime.bigint() / 1_000n);
}

/** Appends events to a file: several processes may write one history, a line in one write each. */
export class HistoryWriter {
  readonly #handle: number;

  constructor(path: string) {
    this.#handle = openSync(path, "a");
  }

  write(event: Event): void {
    const bytes = Buffer.from(`${JSON.stringify(event)}\n`, "utf8");
    // A second write could land behind somebody else's line.
    if (writeSync(this.#handle, bytes) !== bytes.length) throw new Error("an event was cut");
  }

  close(): void {
    closeSync(this.#handle);
  }
}

/** Reads a history that may still grow: each call gives the events that came since the last one. */
export class HistoryReader {
  readonly #handle: number;
  readonly #buffer = Buffer.alloc(256 * 1024);
  #position = 0;
  #rest = "";

  constructor(path: string) {
    this.#handle = openSync(path, "a+");
  }

  /** The events of the next part of the file; none: it has no whole line more for now. */
  read(): Event[] {
    const events: Event[] = [];
    while (events.length === 0) {
      const length = readSync(this.#handle, this.#buffer, 0, this.#buffer.length, this.#position);
      if (length === 0) break;
      this.#position += length;
      const lines = (this.#rest + this.#buffer.toString("latin1", 0, length)).split("\n");
      this.#rest = lines.pop() ?? "";
      for (const line of lines) events.push(JSON.parse(line) as Event);
    }
    return events;
  }

  close(): void {
    closeSync(this.#handle);
  }
}

/** A whole history, for runs of a size that fits in memory. */
export function readHistory(path: string): Event[] {
  const reader = new HistoryReader(path);
  const events: Event[] = [];
  for (let part = reader.read(); part.length > 0; part = reader.read()) events.push(...part);
  reader.close();
  return events;
}
