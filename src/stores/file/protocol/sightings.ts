/**
 * Since when this process has seen a file's heartbeat unchanged. A watcher elsewhere judges by its
 * own monotonic clock alone; what it has not watched itself, it does not know.
 */
export class Sightings {
  readonly #seen = new Map<string, { value: string; since: number }>();

  /** Notes what is seen now and answers since when it has been so. */
  note(what: string, value: string, monotonic: number): number {
    const known = this.#seen.get(what);
    if (known?.value === value) return known.since;
    this.#seen.set(what, { value, since: monotonic });
    return monotonic;
  }
}
