import { Entry } from "./claim.ts";
import { LinkedList } from "./list.ts";

/** All known keys: busy ones, and idle ones in the order in which they became idle. */
export class Entries {
  readonly busy = new LinkedList<Entry>();
  readonly idle = new LinkedList<Entry>();
  readonly #byKey = new Map<string, Entry>();
  readonly #limit: number;

  /** 0: no limit. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#byKey.size;
  }

  get(key: string): Entry | undefined {
    return this.#byKey.get(key);
  }

  /** A new, idle entry; null when the table is full. */
  create(key: string, limit: number): Entry | null {
    if (this.#limit > 0 && this.#byKey.size >= this.#limit) {
      // An idle entry is only a memory; a new key needs the place more.
      const oldest = this.idle.first;
      if (oldest === null) return null;
      this.#forget(oldest);
    }
    return this.#add(new Entry(key, limit));
  }

  /** The entry of a freeze, or of a lease from before a restart, to which no limit applies. */
  revive(key: string, limit: number): Entry {
    const entry = this.#byKey.get(key);
    return entry ?? this.#add(new Entry(key, limit));
  }

  wake(entry: Entry): void {
    entry.idle = false;
    this.idle.remove(entry);
    this.busy.push(entry);
  }

  rest(entry: Entry, now: number): void {
    entry.idle = true;
    entry.idleSince = now;
    entry.reset();
    this.busy.remove(entry);
    this.idle.push(entry);
  }

  /** Forgets entries that have been idle since that moment or longer. */
  collect(since: number): void {
    for (const entry of this.idle) {
      if (entry.idleSince > since) return;
      this.#forget(entry);
    }
  }

  #add(entry: Entry): Entry {
    this.#byKey.set(entry.key, entry);
    this.idle.push(entry);
    return entry;
  }

  #forget(entry: Entry): void {
    this.idle.remove(entry);
    this.#byKey.delete(entry.key);
  }
}
