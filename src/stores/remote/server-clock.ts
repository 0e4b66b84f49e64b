/**
 * The clock of a server, as its answers tell it. Several machines have to agree on some bounds in time: these
 * are by this clock, since the clocks of the machines may be wrong by hours.
 */
export class ServerClock {
  /** How far the server's clock is ahead of this process's monotonic one: at least, and at most. */
  #ahead: { readonly least: number; readonly most: number; readonly at: number } | null = null;

  /**
   * An answer told the time, in milliseconds, exact to `precision`. It was asked for at `sentAt`, by
   * `performance.now`, and has just arrived.
   */
  heard(time: number, sentAt: number, precision = 0): void {
    if (!Number.isFinite(time)) return;
    const at = performance.now();
    this.#ahead = { least: time - at, most: time + precision - sentAt, at };
  }

  /** The time there now, or a little before; null: no answer has told it. For judging others. */
  get now(): number | null {
    return this.#ahead === null ? null : performance.now() + this.#ahead.least;
  }

  /** The time there now, or a little after: for what has to be over before others think so. */
  get latest(): number | null {
    return this.#ahead === null ? null : performance.now() + this.#ahead.most;
  }

  /** Milliseconds since it was last told. */
  get age(): number {
    return this.#ahead === null ? Number.POSITIVE_INFINITY : performance.now() - this.#ahead.at;
  }
}
