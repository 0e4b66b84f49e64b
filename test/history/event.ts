import { closeSync, openSync, readFileSync, writeSync } from "node:fs";

/**
 * A history is what happened in a run, as its processes saw it: one JSON line an event, by one clock.
 * `at` is microseconds of the machine's monotonic clock, which all processes share.
 *
 * An event that begins something is written before it is done, and one that ends something after it:
 * so a history never says that a lock was held for longer than it was.
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
    | { readonly event: "claim"; readonly slots: number }
    /** It was seen to stand in line: who claims after this has to stand behind it. */
    | { readonly event: "joined" }
    /** It lost its place without a fault of its own, such as by a broken connection. */
    | { readonly event: "rejoined" }
    | { readonly event: "granted"; readonly fence: number | null }
    | { readonly event: "gave-up" }
    | { readonly event: "release"; readonly fence: number | null }
    | {
        readonly event: "released";
        readonly fence: number | null;
        readonly outcome: "released" | "already-gone";
      }
    | { readonly event: "lost" }
  );

/** What is done to a process. The note is written before the signal is sent. */
export type ProcessEvent = Noted & { readonly event: "kill" | "stop" | "continue" };

/** Somebody takes the key from all its holders. */
export type BreakEvent = Noted & { readonly event: "break"; readonly key: string };

/** The store was away, or behind a broken network: claims that wait may lose their places in line. */
export type OutageEvent = Noted & { readonly event: "outage" };

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
    if (writeSync(this.#handle, bytes) !== bytes.length) throw new Error("an event was cut");
  }

  close(): void {
    closeSync(this.#handle);
  }
}

/** A killed process may leave half a line at its end; every other line has to be whole. */
export function readHistory(path: string): Event[] {
  const lines = readFileSync(path, "utf8").split("\n");
  lines.pop();
  return lines.map((line) => JSON.parse(line) as Event);
}
