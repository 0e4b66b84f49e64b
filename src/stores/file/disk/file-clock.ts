import { closeSync, fstatSync, openSync, unlinkSync } from "node:fs";
import type { Clock } from "../../../lock/time.ts";
import { randomHex } from "../../../machine/random.ts";
import { temporaryPath } from "./place.ts";

/** How long it is known by the monotonic clock, in milliseconds: two clocks drift apart by little. */
const LASTS_MS = 10_000;

/** The clock by which files get their times. It is found out with a file that is removed at once. */
export class FileClock {
  readonly #clock: Clock;
  #ahead: { readonly by: number; readonly at: number } | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * In milliseconds. A user who may not write there gets this machine's clock, and can do nothing with it
   * anyway.
   */
  now(beside: string): number {
    const at = this.#clock.monotonic();
    if (this.#ahead === null || at - this.#ahead.at >= LASTS_MS) {
      const now = timeBeside(beside);
      if (now === null) return this.#clock.now();
      this.#ahead = { by: now - at, at };
    }
    return at + this.#ahead.by;
  }
}

function timeBeside(beside: string): number | null {
  const path = temporaryPath(beside, process.pid, randomHex(8));
  try {
    const handle = openSync(path, "wx", 0o600);
    try {
      return fstatSync(handle).mtimeMs;
    } finally {
      closeSync(handle);
      unlinkSync(path);
    }
  } catch {
    return null;
  }
}
