import type { Claim, Party } from "./claim.ts";
import { type Linked, LinkedList } from "./list.ts";

/** Up to so many holders a look at each is cheaper than a map, and leaves no garbage. */
const FEW_HOLDERS = 8;

/** The state of one key. A lock is an entry with limit 1; there is no other difference. */
export class Entry implements Linked<Entry> {
  previous: Entry | null = null;
  next: Entry | null = null;
  readonly key: string;
  limit: number;
  readonly holders = new LinkedList<Claim>();
  readonly waiters = new LinkedList<Claim>();
  /** No lease here ends before this moment; a renewed one may end later. */
  earliest = Number.POSITIVE_INFINITY;
  idle = true;
  /** By the monotonic clock; means something while idle. */
  idleSince = 0;
  /** Only where there may be many holders. */
  #byToken: Map<string, Claim> | null = null;
  /** Slots below `#slotsUsed` that are free again. */
  readonly #freeSlots: number[] = [];
  #slotsUsed = 0;

  constructor(key: string, limit: number) {
    this.key = key;
    this.limit = limit;
  }

  addHolder(claim: Claim): void {
    claim.slot = this.#takeSlot();
    this.#hold(claim);
  }

  /** In the slot that it had; those below are free until they are restored, too. */
  restoreHolder(claim: Claim, slot: number): void {
    while (this.#slotsUsed <= slot) {
      this.#freeSlots.push(this.#slotsUsed);
      this.#slotsUsed += 1;
    }
    this.#freeSlots.splice(this.#freeSlots.indexOf(slot), 1);
    claim.slot = slot;
    this.#hold(claim);
  }

  removeHolder(claim: Claim): void {
    this.holders.remove(claim);
    this.#byToken?.delete(claim.token);
    if (this.limit > 1) this.#freeSlots.push(claim.slot);
    else this.#slotsUsed = 0;
  }

  findHolder(token: string): Claim | null {
    if (this.#byToken !== null) return this.#byToken.get(token) ?? null;
    let claim = this.holders.first;
    while (claim !== null && claim.token !== token) claim = claim.next;
    return claim;
  }

  /** What was granted to this very claim, whose connection was gone before it could be told. */
  findKeptFor(party: Party): Claim | null {
    let claim = this.holders.first;
    while (claim !== null && !(claim.party.gone && claim.party.isSameClaimAs(party))) {
      claim = claim.next;
    }
    return claim;
  }

  /** Those whose lease is over; the others tell when to look again. */
  findExpired(now: number): Claim[] {
    const expired: Claim[] = [];
    this.earliest = Number.POSITIVE_INFINITY;
    for (const claim of this.holders) {
      if (claim.expires <= now) expired.push(claim);
      else if (claim.expires < this.earliest) this.earliest = claim.expires;
    }
    return expired;
  }

  /** Nobody holds: the bookkeeping starts anew, and the limit may change. */
  reset(): void {
    this.earliest = Number.POSITIVE_INFINITY;
    if (this.limit === 1) return;
    this.#byToken = null;
    this.#freeSlots.length = 0;
    this.#slotsUsed = 0;
  }

  #hold(claim: Claim): void {
    this.holders.push(claim);
    if (this.limit <= FEW_HOLDERS) return;
    this.#byToken ??= new Map();
    this.#byToken.set(claim.token, claim);
  }

  #takeSlot(): number {
    const free = this.#freeSlots.pop();
    if (free !== undefined) return free;
    this.#slotsUsed += 1;
    return this.#slotsUsed - 1;
  }
}

/** All keys that are known: those in use, and idle ones in the order in which they became so. */
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

  /** For what was held before: no limit stands in its way. */
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

  /** Forgets what has been idle since that moment or longer. */
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
