/**
 * The lock table as one would write it on a blackboard: arrays, no tokens, no cleverness. The
 * model test lets it and the real table do the same things and compares them after each.
 */
export interface ModelClaim {
  readonly id: number;
  readonly party: number;
  readonly key: string;
  lease: number;
  expires: number;
  state: "waiting" | "held" | "over";
  /** Joined with the first phase, and the second has not come. */
  enqueued: boolean;
  /** It keeps its place, and is passed over. */
  absent: boolean;
  /** It waited before a restart: until it expires nobody passes it. */
  awaited: boolean;
  readonly newest: boolean;
  /** When its client first asked. */
  readonly origin: number;
  /** The run that the lock is to belong to. */
  readonly run: string | null;
  /** Its party is gone, and it waits for its lease to end or for somebody to renew it. */
  adoptedBy: number;
}

/** What a claim asks for beyond the usual. */
export interface ModelTerms {
  readonly newest: boolean;
  readonly age: number;
  readonly run: string | null;
}

/** The party of what a run holds: it never leaves. */
const RUN = -1;

interface ModelKey {
  limit: number;
  /** The wall clock's time at which its freeze ends; null: it is not frozen. */
  frozen: number | null;
  holders: ModelClaim[];
  waiters: ModelClaim[];
  idleSince: number;
}

export class ReferenceTable {
  now = 0;
  wall = 1_763_287_200_000;
  closing = false;
  readonly keys = new Map<string, ModelKey>();
  readonly claims: ModelClaim[] = [];
  readonly gone = new Set<number>();
  /** What parties were told, in order; emptied by whoever compares. */
  told: string[] = [];
  /** Which of several equally old idle keys makes room is free to choose: here one learns it. */
  choose: (keys: string[]) => string = ([first]) => first as string;
  readonly #maxLocks: number;
  readonly #maxWaiters: number;

  constructor(maxLocks: number, maxWaiters: number) {
    this.#maxLocks = maxLocks;
    this.#maxWaiters = maxWaiters;
  }

  claim(
    party: number,
    name: string,
    limit: number,
    lease: number,
    {
      enqueued = false,
      newest = false,
      age = 0,
      run = null,
    }: Partial<ModelTerms & { enqueued: boolean }>,
  ): string {
    if (enqueued) {
      const earlier = this.claims.find(
        (claim) => claim.party === party && claim.key === name && claim.enqueued,
      );
      if (earlier !== undefined && !this.#ranOut(earlier)) return "already-enqueued";
    }
    if (this.closing) return "closing";
    if (run !== null) {
      this.#expire(name);
      if (this.keys.get(name)?.holders.some((other) => other.run === run)) return "held";
    }
    const key = this.#keyFor(name, limit);
    if (typeof key === "string") return key;
    const origin = this.now - age;
    const rivals = [...key.waiters, ...key.holders].filter((other) => newest && other.newest);
    if (rivals.some((other) => other.origin > origin)) return "superseded";
    const beside = key.waiters.filter((other) => !rivals.includes(other));
    if (!isOpen(key) && this.#maxWaiters > 0 && beside.length >= this.#maxWaiters)
      return "max-waiters";
    const claim = this.#add({ party, key: name, lease, enqueued, newest, origin, run });
    for (const older of rivals) {
      if (older.state === "waiting") this.#end(older, "superseded");
    }
    if (newest) this.#moveUp(key);
    if (isOpen(key)) {
      this.#grant(claim);
      this.#share(key, claim);
    } else key.waiters.push(claim);
    return claim.state;
  }

  /** Puts a claim at the end of a line that waited before a restart. */
  restorePlace(party: number, name: string, limit: number, ms: number, terms: ModelTerms): void {
    const { newest, age, run } = terms;
    const key = this.keys.get(name) ?? this.#addKey(name, limit);
    const origin = this.now - age;
    const asked = { party, key: name, lease: 1_000, enqueued: false, newest, origin, run };
    const claim = this.#add(asked);
    Object.assign(claim, { absent: true, awaited: true, expires: this.now + ms });
    key.waiters.push(claim);
  }

  attend(party: number, name: string): string {
    const claim = this.claims.find(
      (one) => one.party === party && one.key === name && one.enqueued,
    );
    if (claim === undefined || this.#ranOut(claim)) return "not-enqueued";
    claim.enqueued = false;
    if (claim.state === "held") claim.expires = this.now + claim.lease;
    return claim.state;
  }

  stepAside(claim: ModelClaim): void {
    claim.absent = true;
  }

  stepBack(claim: ModelClaim): void {
    claim.absent = false;
    claim.awaited = false;
    this.#expire(claim.key);
    const key = this.keys.get(claim.key);
    if (claim.state === "waiting" && key !== undefined) this.#moveUp(key);
  }

  withdraw(claim: ModelClaim): boolean {
    if (claim.state !== "waiting") return false;
    this.#end(claim, null);
    return true;
  }

  renew(party: number, claim: ModelClaim, lease: number): boolean {
    if (claim.state !== "held" || this.#ranOut(claim)) return false;
    if (claim.run !== null) return true;
    if (this.gone.has(claim.adoptedBy)) claim.adoptedBy = party;
    claim.lease = lease;
    claim.expires = this.now + lease;
    return true;
  }

  release(claim: ModelClaim): boolean {
    if (claim.state !== "held" || this.#ranOut(claim)) return false;
    this.#end(claim, "released");
    return true;
  }

  break(name: string, chosen: (claim: ModelClaim) => boolean): void {
    for (const claim of (this.keys.get(name)?.holders ?? []).filter(chosen))
      this.#end(claim, "broken");
  }

  freeze(name: string, until: number): void {
    this.#expire(name);
    const key = this.keys.get(name) ?? this.#addKey(name, 1);
    key.frozen = until;
  }

  thaw(name: string): boolean {
    this.#expire(name);
    const key = this.keys.get(name);
    if (key === undefined || key.frozen === null) return false;
    this.#thaw(key);
    return true;
  }

  releaseRun(name: string, run: string): boolean {
    this.#expire(name);
    const claim = this.keys.get(name)?.holders.find((other) => other.run === run);
    return claim !== undefined && this.release(claim);
  }

  dismiss(party: number, release: boolean): void {
    this.gone.add(party);
    const mine = this.claims.filter((claim) => claim.adoptedBy === party);
    const waiting = mine.filter(({ state }) => state === "waiting");
    for (const claim of waiting) claim.absent = true;
    for (const claim of waiting) if (claim.state === "waiting") this.#end(claim, null);
    if (release) for (const claim of mine) if (claim.state === "held") this.#end(claim, null);
  }

  sweep(): void {
    for (const name of this.keys.keys()) this.#expire(name);
  }

  collect(maxIdle: number): void {
    for (const [name, key] of this.keys) {
      if (isIdle(key) && this.now - key.idleSince >= maxIdle) this.keys.delete(name);
    }
  }

  close(): void {
    this.closing = true;
    for (const key of this.keys.values()) {
      for (const claim of [...key.waiters]) this.#end(claim, "shutdown");
      this.#moveUp(key);
    }
  }

  #keyFor(name: string, limit: number): ModelKey | string {
    this.#expire(name);
    const key = this.keys.get(name);
    if (key === undefined) return this.#create(name, limit);
    if (!isUsed(key)) key.limit = limit;
    return key.limit === limit ? key : "limit-mismatch";
  }

  #create(name: string, limit: number): ModelKey | string {
    if (this.#maxLocks > 0 && this.keys.size >= this.#maxLocks) {
      const idle = [...this.keys].filter(([, key]) => isIdle(key));
      const since = Math.min(...idle.map(([, key]) => key.idleSince));
      const oldest = idle.filter(([, key]) => key.idleSince === since).map(([one]) => one);
      if (oldest.length === 0) return "max-locks";
      this.keys.delete(this.choose(oldest));
    }
    return this.#addKey(name, limit);
  }

  #add(
    asked: Omit<ModelClaim, "id" | "expires" | "state" | "absent" | "awaited" | "adoptedBy">,
  ): ModelClaim {
    const claim: ModelClaim = {
      id: this.claims.length,
      expires: 0,
      state: "waiting",
      absent: false,
      awaited: false,
      adoptedBy: asked.party,
      ...asked,
    };
    this.claims.push(claim);
    return claim;
  }

  #addKey(name: string, limit: number): ModelKey {
    const key = { limit, frozen: null, holders: [], waiters: [], idleSince: this.now };
    this.keys.set(name, key);
    return key;
  }

  #grant(claim: ModelClaim): void {
    claim.state = "held";
    claim.expires = this.now + claim.lease;
    if (claim.run !== null) claim.adoptedBy = RUN;
    this.keys.get(claim.key)?.holders.push(claim);
  }

  #ranOut(claim: ModelClaim): boolean {
    if (claim.state !== "held" || claim.expires > this.now) return false;
    this.#end(claim, "expired");
    return true;
  }

  #expire(name: string): void {
    const key = this.keys.get(name);
    const mayExpire = [...(key?.holders ?? []), ...(key?.waiters ?? []).filter(isAwaited)];
    for (const claim of mayExpire.filter(({ expires }) => expires <= this.now)) {
      if (claim.state !== "over") this.#end(claim, "expired");
    }
    if (key !== undefined && key.frozen !== null && key.frozen <= this.wall) this.#thaw(key);
  }

  #thaw(key: ModelKey): void {
    key.frozen = null;
    this.#moveUp(key);
    if (isIdle(key)) key.idleSince = this.now;
  }

  #share(key: ModelKey, held: ModelClaim): void {
    if (held.run === null) return;
    for (const claim of key.waiters.filter(({ run }) => run === held.run)) {
      this.#end(claim, "shared");
    }
  }

  #end(claim: ModelClaim, reason: string | null): void {
    const key = this.keys.get(claim.key) as ModelKey;
    const wasHeld = claim.state === "held";
    claim.state = "over";
    claim.enqueued = false;
    key.holders = key.holders.filter((other) => other !== claim);
    key.waiters = key.waiters.filter((other) => other !== claim);
    const isOneOfSeveral = ["shared", "superseded", "shutdown"].includes(reason ?? "");
    if ((wasHeld || claim.awaited) && !isOneOfSeveral) this.#moveUp(key);
    if (isIdle(key)) key.idleSince = this.now;
    // A run has nobody who could be told.
    const told = reason !== null && claim.adoptedBy !== RUN;
    if (told) this.told.push(`${claim.id} ${reason}`);
  }

  #moveUp(key: ModelKey): void {
    for (;;) {
      const next = key.waiters.find(({ absent, awaited }) => !absent || awaited);
      if (next === undefined || next.awaited || !hasRoom(key)) return;
      key.waiters = key.waiters.filter((other) => other !== next);
      this.#grant(next);
      this.told.push(`${next.id} granted`);
      this.#share(key, next);
    }
  }
}

function isUsed({ holders, waiters }: ModelKey): boolean {
  return holders.length + waiters.length > 0;
}

function isAwaited({ awaited }: ModelClaim): boolean {
  return awaited;
}

function hasRoom({ limit, holders, frozen }: ModelKey): boolean {
  return frozen === null && holders.length < limit;
}

export function isOpen(key: ModelKey): boolean {
  return hasRoom(key) && !key.waiters.some(isAwaited);
}

export function isIdle(key: ModelKey): boolean {
  return !isUsed(key) && key.frozen === null;
}
