import { nextFence } from "../../lock/fence.ts";
import { type Breaking, Claim, type EndReason, type Entry, type Listener, Party } from "./claim.ts";
import { Entries } from "./entries.ts";
import type { KeptLease, Refusal, TableOptions } from "./types.ts";

/**
 * Keys, holders, lines, leases and fences: a pure state machine. Time passes only by its clock;
 * `sweep` and `collect` are called by the owner of the timers. Locks and semaphores are one thing.
 *
 * Invariant between calls: while a slot of a key is free, every waiter of that key is absent.
 */
export class LockTable {
  readonly #options: TableOptions;
  readonly #entries: Entries;
  /** Claims that are held, and that wait: for others to read only. */
  held = 0;
  waiting = 0;
  #parties = 0;
  #closing = false;
  /**
   * One count for all keys: so it grows for each of them, also for one that was forgotten and came
   * back while the clock went wrong, and a restart has to remember one number only.
   */
  #lastFence: number | null;

  constructor(options: TableOptions) {
    this.#options = options;
    this.#entries = new Entries(options.maxLocks);
    this.#lastFence = options.lastFence ?? null;
  }

  /** Keys that are known, idle ones included. */
  get keys(): number {
    return this.#entries.size;
  }

  /** For listings, to be read only. */
  find(key: string): Entry | undefined {
    return this.#entries.get(key);
  }

  busyEntries(): Iterable<Entry> {
    return this.#entries.busy;
  }

  idleEntries(): Iterable<Entry> {
    return this.#entries.idle;
  }

  /** `session`: the digest of its id, where the party is one. */
  admit(listener: Listener, session: string | null = null): Party {
    this.#parties += 1;
    return new Party(this.#parties, listener, session);
  }

  /**
   * Puts a lease back that was held when the server ended. Its party may be gone: then the key is
   * reserved until a client renews with its token, before all that wait, or until the lease ends.
   */
  restore(party: Party, kept: KeptLease): Claim {
    const entry = this.#entries.revive(kept.key, kept.limit);
    const claim = new Claim(entry, party, kept.lease);
    if (entry.idle) this.#entries.wake(entry);
    claim.waited = kept.waited;
    claim.begin(kept.fence, kept.token, kept.since, this.#now() + kept.left);
    entry.restoreHolder(claim, kept.slot);
    this.held += 1;
    this.#lastFence = Math.max(this.#lastFence ?? 0, claim.fence);
    return claim;
  }

  /** Ends a party. It leaves all lines; what it holds is released, or stays held until its lease ends. */
  dismiss(party: Party, release: boolean): void {
    const now = this.#now();
    party.gone = true;
    // No second phase will come for these; and a party that gets such a claim later did not enqueue it.
    for (const claim of party.enqueued?.values() ?? []) claim.enqueued = false;
    party.enqueued = null;
    // Its waiting claims first: else they would be granted what it releases.
    for (const claim of party.claims()) {
      if (claim.state === "waiting") this.#end(claim, "hangup", now);
    }
    if (!release) return;
    for (const claim of party.claims()) this.#end(claim, "hangup", now);
  }

  /**
   * Claims the key: it is granted, or joins the line, as the claim's state says. The party's listener
   * is told of a later grant. `lease` is in milliseconds.
   */
  claim(party: Party, key: string, limit: number, lease: number): Claim | Refusal {
    if (this.#closing) return "closing";
    const { clock, maxWaiters } = this.#options;
    const now = clock.monotonic();
    const entry = this.#entryFor(key, limit, now);
    if (typeof entry === "string") return entry;
    const kept = party.introduction === null ? null : entry.findKeptFor(party);
    if (kept !== null) {
      kept.moveTo(party);
      this.#extend(kept, lease, now);
      return kept;
    }
    const free = entry.holders.size < entry.limit;
    if (!free && maxWaiters > 0 && entry.waiters.size >= maxWaiters) return "max-waiters";
    const claim = new Claim(entry, party, lease);
    if (free) {
      this.#grant(claim, now);
    } else {
      claim.since = clock.now();
      entry.waiters.push(claim);
      this.waiting += 1;
      this.#options.observer?.joined?.(claim);
    }
    return claim;
  }

  /** First phase: as `claim`, but remembered for the party and key until `attend` or its end. */
  enqueue(party: Party, key: string, limit: number, lease: number): Claim | Refusal {
    const earlier = party.enqueued?.get(key);
    if (earlier !== undefined && !this.#ranOut(earlier, this.#now())) return "already-enqueued";
    const claim = this.claim(party, key, limit, lease);
    if (typeof claim === "string") return claim;
    claim.enqueued = true;
    party.enqueued ??= new Map();
    party.enqueued.set(key, claim);
    return claim;
  }

  /** Second phase: the claim, held with a full lease from now on, or still waiting. */
  attend(party: Party, key: string): Claim | Refusal {
    const claim = party.enqueued?.get(key);
    const now = this.#now();
    if (claim === undefined || this.#ranOut(claim, now)) return "not-enqueued";
    claim.enqueued = false;
    party.enqueued?.delete(key);
    if (claim.state === "held") this.#extend(claim, claim.lease, now);
    return claim;
  }

  /** Ends the absence of a waiting claim: it is granted a free slot at once. */
  stepBack(claim: Claim): void {
    claim.absent = false;
    const now = this.#now();
    if (claim.entry.earliest <= now) this.#expire(claim.entry, now);
    if (claim.state === "waiting") this.#moveUp(claim.entry, now);
  }

  /** Leaves the line. False where the claim no longer waits. */
  withdraw(claim: Claim): boolean {
    if (claim.state !== "waiting") return false;
    this.#end(claim, "withdrawn", this.#now());
    return true;
  }

  /**
   * Renews a claim, for any party with the right token. A claim whose party is gone moves to the party
   * that renews it: that is how a keeper goes on over a new connection. So does a claim of the same
   * owner, whose old connection may be dead without the server having noticed: its end must not
   * release what is being renewed here.
   */
  renew(party: Party, key: string, token: string, lease: number): Claim | Refusal {
    const now = this.#now();
    const claim = this.#holding(key, token, now);
    if (claim === null) return "not-held";
    if (claim.party.gone || claim.party.isSameOwnerAs(party)) {
      claim.moveTo(party);
    }
    this.#extend(claim, lease, now);
    return claim;
  }

  /** Releases a claim. The token alone counts, as the protocol says. */
  release(key: string, token: string): Claim | Refusal {
    const now = this.#now();
    const claim = this.#holding(key, token, now);
    if (claim === null) return "not-held";
    this.#end(claim, "released", now);
    return claim;
  }

  /** Takes a key from its holders, or from the one in a slot. The first in line are granted it. */
  break(key: string, slot: number | null = null, breaking: Breaking | null = null): Claim[] {
    const entry = this.#entries.get(key);
    if (entry === undefined) return [];
    // Chosen first: a claim that is granted a broken slot must not be broken with the rest.
    const broken = [...entry.holders].filter((claim) => slot === null || claim.slot === slot);
    for (const claim of broken) {
      claim.breaking = breaking;
      this.#end(claim, "broken", this.#now());
    }
    return broken;
  }

  /** Ends every lease that ran out. */
  sweep(): void {
    const now = this.#now();
    for (const entry of this.#entries.busy) {
      if (entry.earliest <= now) this.#expire(entry, now);
    }
  }

  /** Forgets keys that were not held for so many milliseconds. */
  collect(maxIdle: number): void {
    this.#entries.collect(this.#now() - maxIdle);
  }

  /** Refuses all claims from now on, and ends the waiting ones. Holders may renew and release. */
  close(): void {
    this.#closing = true;
    const now = this.#now();
    for (const entry of this.#entries.busy) {
      for (const claim of entry.waiters) this.#end(claim, "shutdown", now);
    }
  }

  #entryFor(key: string, limit: number, now: number): Entry | Refusal {
    const entry = this.#entries.get(key);
    if (entry === undefined) return this.#entries.create(key, limit) ?? "max-locks";
    if (entry.earliest <= now) this.#expire(entry, now);
    if (entry.limit !== limit) {
      if (!entry.idle) return "limit-mismatch";
      entry.limit = limit;
    }
    return entry;
  }

  #now(): number {
    return this.#options.clock.monotonic();
  }

  #holding(key: string, token: string, now: number): Claim | null {
    const claim = this.#entries.get(key)?.findHolder(token) ?? null;
    return claim === null || this.#ranOut(claim, now) ? null : claim;
  }

  #grant(claim: Claim, now: number): void {
    const { clock, makeToken, observer } = this.#options;
    const { entry } = claim;
    if (entry.idle) this.#entries.wake(entry);
    const wall = clock.now();
    this.#lastFence = nextFence(this.#lastFence, wall);
    // A clock that was set back must not make a wait negative.
    if (claim.since > 0 && wall > claim.since) claim.waited = wall - claim.since;
    claim.begin(this.#lastFence, makeToken(this.#lastFence), wall, now + claim.lease);
    entry.addHolder(claim);
    this.held += 1;
    observer?.granted?.(claim);
  }

  #extend(claim: Claim, lease: number, now: number): void {
    const { clock, observer } = this.#options;
    claim.lease = lease;
    claim.renewed = clock.now();
    claim.expires = now + lease;
    if (claim.expires < claim.entry.earliest) claim.entry.earliest = claim.expires;
    observer?.renewed?.(claim);
  }

  /** Whether its lease ran out; it is then over. So no claim is held longer than its lease, also between two sweeps. */
  #ranOut(claim: Claim, now: number): boolean {
    if (claim.state !== "held" || claim.expires > now) return false;
    this.#end(claim, "expired", now);
    return true;
  }

  #expire(entry: Entry, now: number): void {
    for (const claim of entry.findExpired(now)) this.#end(claim, "expired", now);
  }

  #end(claim: Claim, reason: EndReason, now: number): void {
    const { entry, party } = claim;
    const wasHeld = claim.state === "held";
    claim.state = "over";
    party.remove(claim);
    if (claim.enqueued) party.enqueued?.delete(entry.key);
    if (wasHeld) {
      entry.removeHolder(claim);
      this.held -= 1;
    } else {
      entry.waiters.remove(claim);
      this.waiting -= 1;
    }
    this.#options.observer?.ended?.(claim, reason, wasHeld);
    if (wasHeld || entry.holders.size === 0) this.#moveUp(entry, now);
    if (reason !== "withdrawn" && reason !== "hangup") party.listener.ended(claim, reason);
  }

  /** Grants free slots to the first in line. Without a line and holders the key becomes idle. */
  #moveUp(entry: Entry, now: number): void {
    while (entry.holders.size < entry.limit) {
      const next = entry.firstPresent();
      if (next === null) break;
      entry.waiters.remove(next);
      this.waiting -= 1;
      this.#grant(next, now);
      next.party.listener.granted(next);
    }
    if (entry.holders.size + entry.waiters.size === 0) this.#entries.rest(entry, now);
  }
}
