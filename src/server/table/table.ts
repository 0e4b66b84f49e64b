import { PLAIN } from "../../lock/admission.ts";
import { isSameResources } from "../../lock/resources.ts";
import type { Freeze } from "../../lock/status.ts";
import { Claim, type Entry, type Listener, Party } from "./claim.ts";
import type { Breaking } from "./ends.ts";
import { Entries } from "./entries.ts";
import { lineBeside, newerOf, newerThan } from "./newest.ts";
import { Turns } from "./turns.ts";
import type {
  ClaimTerms,
  FrozenSlot,
  KeptLease,
  KeptPlace,
  Refusal,
  TableOptions,
} from "./types.ts";

const PLAIN_TERMS: ClaimTerms = {};

/**
 * Keys, holders, lines, leases, fences and freezes: a pure state machine. Time passes only by its
 * clock; `sweep` and `collect` are called by the owner of the timers. Locks and semaphores are one
 * thing.
 *
 * Invariant between calls: while a slot of a key is free and the key is not frozen, every waiter of
 * that key is absent, or stands behind one that is awaited after a restart.
 */
export class LockTable {
  readonly #options: TableOptions;
  readonly #entries: Entries;
  readonly #turns: Turns;
  #closing = false;

  constructor(options: TableOptions) {
    this.#options = options;
    this.#entries = new Entries(options.maxLocks);
    this.#turns = new Turns(options, this.#entries);
  }

  get held(): number {
    return this.#turns.held;
  }

  get waiting(): number {
    return this.#turns.waiting;
  }

  /** Keys that are known, idle ones included. */
  get keys(): number {
    return this.#entries.size;
  }

  /** For listings, to be read only. */
  find(key: string): Entry | undefined {
    return this.#entries.get(key);
  }

  /** A key's state, without leases and a freeze that ran out since the last sweep. */
  current(key: string): Entry | undefined {
    const entry = this.#entries.get(key);
    if (entry !== undefined) this.#turns.expire(entry, this.#now());
    return entry;
  }

  /** Keys that are held, waited for or frozen. */
  busyEntries(): Iterable<Entry> {
    return this.#entries.busy;
  }

  idleEntries(): Iterable<Entry> {
    return this.#entries.idle;
  }

  /** `session`: the digest of its id, where the party is one. */
  admit(listener: Listener, session: string | null = null): Party {
    return new Party(this.#turns.nextParty(), listener, session);
  }

  /**
   * Puts a lease back that was held when the server ended. Where its party is gone the key is reserved
   * until a client renews with its token, or until the lease ends. Null: the lease is a run's.
   */
  restore(party: Party | null, kept: KeptLease): Claim {
    const share = { weight: kept.slots.length, priority: PLAIN.priority };
    const entry = this.#revive(kept);
    const claim = new Claim(entry, party ?? this.#turns.runParty(null), kept.lease, share);
    this.#turns.restore(claim, kept, this.#now());
    return claim;
  }

  /** Puts a claim back that waited when the server ended, at the end of its line. */
  restorePlace(party: Party, kept: KeptPlace): void {
    const claim = new Claim(this.#revive(kept), party, kept.lease, kept);
    this.#turns.restorePlace(claim, kept, this.#now());
  }

  /** Ends a party. It leaves all lines; what it holds is released, or stays held until its lease ends. */
  dismiss(party: Party, release: boolean): void {
    const now = this.#now();
    party.gone = true;
    // No second phase will come for these; and a party that gets such a claim later did not enqueue it.
    for (const claim of party.enqueued?.values() ?? []) claim.enqueued = false;
    party.enqueued = null;
    // Its waiting claims first: else they would be granted what it releases, or what one of them leaves.
    const waiting = party.claims().filter(({ state }) => state === "waiting");
    for (const claim of waiting) claim.absent = true;
    for (const claim of waiting) this.withdraw(claim);
    if (!release) return;
    for (const claim of party.claims()) this.#turns.end(claim, "hangup", now);
  }

  /**
   * Claims the key: it is granted, or joins the line, as its state says; the listener is told of a
   * later grant. Where the party's run holds the key, that hold is given back, also while it is
   * frozen. A claim that is over at once was superseded. `lease` is in milliseconds.
   */
  claim(
    party: Party,
    key: string,
    limit: number,
    lease: number,
    terms: ClaimTerms = PLAIN_TERMS,
  ): Claim | Refusal {
    if (this.#closing) return "closing";
    const now = this.#now();
    const shared = terms.run == null ? null : this.holdOfRun(key, terms.run);
    if (shared !== null) {
      shared.shared = true;
      return shared;
    }
    const entry = this.#entryFor(key, limit, terms.resources);
    if (typeof entry === "string") return entry;
    const kept = entry.findKeptFor(party);
    if (kept !== null) {
      kept.moveTo(party);
      kept.lease = lease;
      if (kept.state === "waiting") this.stepBack(kept);
      else this.#turns.extend(kept, lease, now);
      return kept;
    }
    const { weight = PLAIN.weight, priority = PLAIN.priority } = terms;
    const claim = new Claim(entry, party, lease, { weight, priority });
    claim.declared = terms.ready !== false;
    claim.run = terms.run ?? null;
    claim.newest = terms.newest === true;
    claim.origin = now - (terms.age ?? 0);
    const refused = this.#refuse(claim);
    if (refused !== null) return refused;
    if (claim.newest) this.#turns.supersede(claim, now);
    if (entry.isOpenTo(claim)) {
      for (const passed of entry.waiters.pass(claim)) this.#options.observer?.changed?.(passed);
      this.#turns.grant(claim, now);
      this.#turns.shareWith(claim, now);
      if (claim.run !== null) this.#turns.moveUp(entry, now);
    } else this.#turns.join(claim);
    return claim;
  }

  /** First phase: as `claim`, but remembered for the party and key until `attend` or its end. */
  enqueue(
    party: Party,
    key: string,
    limit: number,
    lease: number,
    terms: ClaimTerms = PLAIN_TERMS,
  ): Claim | Refusal {
    const earlier = party.enqueued?.get(key);
    const isThere = earlier !== undefined && !this.#turns.ranOut(earlier, this.#now());
    if (isThere) return "already-enqueued";
    const claim = this.claim(party, key, limit, lease, terms);
    // What a run holds has no second phase.
    if (typeof claim === "string" || (claim.run !== null && claim.state === "held")) return claim;
    claim.enqueued = true;
    party.enqueued ??= new Map();
    party.enqueued.set(key, claim);
    return claim;
  }

  /** Second phase: the claim, held with a full lease from now on, or still waiting. */
  attend(party: Party, key: string): Claim | Refusal {
    const claim = party.enqueued?.get(key);
    const now = this.#now();
    if (claim === undefined || this.#turns.ranOut(claim, now)) return "not-enqueued";
    claim.enqueued = false;
    party.enqueued?.delete(key);
    if (claim.state === "held" && claim.run === null) this.#turns.extend(claim, claim.lease, now);
    return claim;
  }

  /** A claim that only kept its place would take the lock from now on: `stepBack` is to follow. */
  declare(claim: Claim): void {
    this.#turns.declare(claim);
  }

  /** Ends the absence of a waiting claim: it is granted a free slot at once. */
  stepBack(claim: Claim): void {
    this.#turns.comeBack(claim);
    const now = this.#now();
    this.#turns.expire(claim.entry, now);
    if (claim.state === "waiting") this.#turns.moveUp(claim.entry, now);
  }

  /** Leaves the line. False where the claim no longer waits. */
  withdraw(claim: Claim): boolean {
    if (claim.state !== "waiting") return false;
    this.#turns.end(claim, "withdrawn", this.#now());
    return true;
  }

  /**
   * Renews a claim, for any party with the right token. A claim whose party is gone moves to the party
   * that renews it: so a keeper goes on over a new connection. So does a claim of the same owner, whose
   * old connection may be dead unnoticed: its end must not release what is renewed here. A run's hold
   * stays as it is: its ttl is a hard bound.
   */
  renew(party: Party, key: string, token: string, lease: number): Claim | Refusal {
    const now = this.#now();
    const claim = this.#holding(key, token, now);
    if (claim === null) return "not-held";
    if (claim.run !== null) return claim;
    if (claim.party.gone || claim.party.isSameOwnerAs(party)) claim.moveTo(party);
    this.#turns.extend(claim, lease, now);
    return claim;
  }

  /** Releases a claim. The token alone counts, as the protocol says. */
  release(key: string, token: string): Claim | Refusal {
    const now = this.#now();
    const claim = this.#holding(key, token, now);
    if (claim === null) return "not-held";
    this.#turns.end(claim, "released", now);
    return claim;
  }

  /** The hold of a run; null where it has none, or its time is over. */
  holdOfRun(key: string, run: string): Claim | null {
    return this.current(key)?.findRun(run) ?? null;
  }

  /** Takes a key from its holders, or from the one in a slot. The first in line are granted it. */
  break(key: string, slot: number | null = null, breaking: Breaking | null = null): Claim[] {
    const entry = this.#entries.get(key);
    // Chosen first: a claim that is granted a broken slot must not be broken with the rest.
    const broken = [...(entry?.holders ?? [])].filter(
      (claim) => slot === null || claim.slots.includes(slot),
    );
    for (const claim of broken) {
      claim.breaking = breaking;
      this.#turns.end(claim, "broken", this.#now());
    }
    return broken;
  }

  /**
   * Freezes a key, or one of its slots: nobody gets it from now on, and its holders go on. It replaces
   * an earlier freeze. `said`: the name of a slot that no claim has named yet.
   */
  freeze(key: string, freeze: Freeze, slot: number | null = null, said?: string): void {
    const present = this.current(key);
    const replaced = (slot === null ? present?.freeze : present?.frozenSlots.get(slot)) ?? null;
    const entry = this.#entries.revive(key, 1);
    // What nobody uses has as many slots as its last users said: the next ones may say more.
    const isOpen = !entry.isUsed && entry.resources === null && said === undefined;
    if (slot !== null && isOpen) entry.limit = Math.max(entry.limit, slot + 1);
    const { limit, resources } = entry;
    if (slot === null) {
      this.#turns.freeze(entry, null, freeze);
      this.#options.observer?.frozen?.(key, freeze, replaced, null);
      return;
    }
    const resource = resources?.[slot] ?? present?.frozenSlots.get(slot)?.resource ?? said;
    const named = resource === undefined ? freeze : { ...freeze, resource };
    this.#turns.freeze(entry, slot, named);
    this.#options.observer?.frozen?.(key, named, replaced, { slot, limit, resources });
  }

  /** Gives a key that nobody uses the slots of its next claim. */
  resize(entry: Entry, limit: number, resources: readonly string[] | null): void {
    if (entry.limit === limit && isSameResources(resources, entry.resources)) return;
    if (entry.limit !== limit) entry.reset();
    entry.limit = limit;
    entry.resources = resources;
    if (entry.frozenSlots.size > 0) this.#turns.renumber(entry);
  }

  /** Puts a freeze back, from before a restart. */
  restoreFreeze(key: string, freeze: Freeze, only: FrozenSlot | null = null): void {
    const entry = only === null ? this.#entries.revive(key, 1) : this.#revive({ key, ...only });
    this.#turns.freeze(entry, only?.slot ?? null, freeze);
  }

  /** Ends a freeze; null where there was none. Without a slot it ends all freezes of the key. */
  thaw(key: string, by: string, slot: number | null = null): Freeze | null {
    const entry = this.current(key);
    if (entry === undefined) return null;
    if (slot !== null) return this.#turns.thaw(entry, slot, by, this.#now());
    const slots = [...entry.frozenSlots.keys()];
    const thawed = [null, ...slots].map((each) => this.#turns.thaw(entry, each, by, this.#now()));
    return thawed.find((freeze) => freeze !== null) ?? null;
  }

  /** Ends every lease that ran out, and every freeze whose time is over. */
  sweep(): void {
    const now = this.#now();
    for (const entry of this.#entries.busy) this.#turns.expire(entry, now);
  }

  /** Forgets keys that were not held for so many milliseconds. */
  collect(maxIdle: number): void {
    this.#entries.collect(this.#now() - maxIdle);
  }

  /** Refuses all claims from now on, and ends those that wait. Holders may renew and release. */
  close(): void {
    this.#closing = true;
    const now = this.#now();
    for (const entry of this.#entries.busy) {
      for (const claim of entry.waiters) this.#turns.end(claim, "shutdown", now);
      this.#turns.moveUp(entry, now);
    }
  }

  /** Judges a claim that is not yet in its place; null: it may take one. */
  #refuse(claim: Claim): Claim | Refusal | null {
    const { entry, party } = claim;
    const { maxWaiters } = this.#options;
    const newer = newerThan(claim);
    const isFull = maxWaiters > 0 && !entry.isOpenTo(claim) && lineBeside(claim) >= maxWaiters;
    if (newer === null && !isFull) return null;
    party.remove(claim);
    claim.state = "over";
    if (newer === null) return "max-waiters";
    claim.newer = newerOf(newer);
    return claim;
  }

  #entryFor(key: string, limit: number, resources?: readonly string[] | null): Entry | Refusal {
    const entry = this.current(key) ?? this.#entries.create(key, limit);
    if (entry === null) return "max-locks";
    if (entry.isUsed) {
      if (entry.limit !== limit) return "limit-mismatch";
      const isSame = resources === undefined || isSameResources(resources, entry.resources);
      return isSame ? entry : "resources-mismatch";
    }
    this.resize(entry, limit, resources ?? null);
    return entry;
  }

  /** The entry of a key from before a restart, with its slots as they were. */
  #revive({ key, limit, resources }: Pick<KeptLease, "key" | "limit" | "resources">): Entry {
    const entry = this.#entries.revive(key, limit);
    entry.limit = limit;
    entry.resources = resources;
    return entry;
  }

  #now(): number {
    return this.#options.clock.monotonic();
  }

  #holding(key: string, token: string, now: number): Claim | null {
    const claim = this.#entries.get(key)?.findHolder(token) ?? null;
    return claim === null || this.#turns.ranOut(claim, now) ? null : claim;
  }
}
