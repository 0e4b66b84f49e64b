import { admit, PLAIN, passedBy } from "../../../../../src/lock/admission.ts";

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
  readonly weight: number;
  readonly priority: number;
  passed: number;
  /** It would take the lock; else it only keeps its place. */
  declared: boolean;
  slots: number[];
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
  readonly weight: number;
  readonly priority: number;
  readonly ready: boolean;
  /** Whether it names the slots. Left out: it has no word for that. */
  readonly named?: boolean;
}

/** The party of what a run holds: it never leaves. */
const RUN = -1;

/** All that slots are called, in this order. */
export const NAMES = ["x", "y", "z"];

interface FrozenSlot {
  readonly until: number;
  readonly name: string | undefined;
}

interface ModelKey {
  limit: number;
  /** The wall clock's time at which its freeze ends; null: it is not frozen. */
  frozen: number | null;
  /** The same of slots that are frozen by themselves. */
  frozenSlots: Map<number, FrozenSlot>;
  named: boolean;
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
      weight = 1,
      priority = 0,
      ready = true,
      named,
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
    const key = this.#keyFor(name, limit, named);
    if (typeof key === "string") return key;
    const origin = this.now - age;
    const rivals = [...key.waiters, ...key.holders].filter((other) => newest && other.newest);
    if (rivals.some((other) => other.origin > origin)) return "superseded";
    const beside = key.waiters.filter((other) => !rivals.includes(other));
    const me = { weight, priority, ready };
    if (!isOpen(key, me) && this.#maxWaiters > 0 && beside.length >= this.#maxWaiters)
      return "max-waiters";
    const share = { weight, priority, passed: 0, declared: ready };
    const claim = this.#add({ party, key: name, lease, enqueued, newest, origin, run, ...share });
    for (const older of rivals) {
      if (older.state === "waiting") this.#end(older, "superseded");
    }
    if (newest) this.#moveUp(key);
    if (isOpen(key, me)) {
      this.#pass(key, [...key.waiters, claim], claim);
      this.#grant(claim);
      this.#share(key, claim);
      if (run !== null) this.#moveUp(key);
    } else key.waiters.push(claim);
    return claim.state;
  }

  /** Puts a claim at the end of a line that waited before a restart. */
  restorePlace(
    party: number,
    name: string,
    limit: number,
    ms: number,
    terms: ModelTerms & { readonly passed: number },
  ): void {
    const { newest, age, run, weight, priority, passed, ready } = terms;
    const key = this.keys.get(name) ?? this.#addKey(name, limit);
    key.limit = limit;
    key.named = terms.named === true;
    const origin = this.now - age;
    const share = { weight, priority, passed, declared: ready };
    const asked = { party, key: name, lease: 1_000, enqueued: false, newest, origin, run };
    const claim = this.#add({ ...asked, ...share });
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

  declare(claim: ModelClaim): void {
    claim.declared = true;
    this.stepBack(claim);
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

  freeze(name: string, slot: number | null, until: number): void {
    this.#expire(name);
    const key = this.keys.get(name) ?? this.#addKey(name, 1);
    if (slot === null) {
      key.frozen = until;
      return;
    }
    if (!isUsed(key) && !key.named) key.limit = Math.max(key.limit, slot + 1);
    const isNamed = key.named && slot < key.limit;
    const called = isNamed ? NAMES[slot] : key.frozenSlots.get(slot)?.name;
    key.frozenSlots.set(slot, { until, name: called });
  }

  thaw(name: string, slot: number | null): boolean {
    this.#expire(name);
    const key = this.keys.get(name);
    if (key === undefined) return false;
    if (slot !== null) return this.#thaw(key, slot);
    const all = [null, ...key.frozenSlots.keys()];
    return all.map((each) => this.#thaw(key, each)).includes(true);
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

  #keyFor(name: string, limit: number, named?: boolean): ModelKey | string {
    this.#expire(name);
    const key = this.keys.get(name);
    if (key === undefined) {
      const created = this.#create(name, limit);
      if (typeof created !== "string") created.named = named === true;
      return created;
    }
    if (!isUsed(key)) this.#resize(key, limit, named === true);
    if (key.limit !== limit) return "limit-mismatch";
    return named === undefined || named === key.named ? key : "resources-mismatch";
  }

  /** Where slots have names, each freeze is of its name; one whose name is away is behind the slots. */
  #resize(key: ModelKey, limit: number, named: boolean): void {
    const isSame = key.limit === limit && key.named === named;
    Object.assign(key, { limit, named });
    if (isSame || !named) return;
    const before = [...key.frozenSlots];
    const numbers = before.flatMap(([slot, { name }]) => (name === undefined ? slot : []));
    const after = before.map(([present, frozen]): [number, FrozenSlot] => {
      if (frozen.name === undefined) return [present, frozen];
      let slot = NAMES.indexOf(frozen.name);
      if (slot >= limit) for (slot = limit; numbers.includes(slot); ) slot += 1;
      numbers.push(slot);
      return [slot, frozen];
    });
    key.frozenSlots = new Map(after.sort(([one], [other]) => one - other));
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
    asked: Omit<
      ModelClaim,
      "id" | "expires" | "state" | "absent" | "awaited" | "adoptedBy" | "slots"
    >,
  ): ModelClaim {
    const claim: ModelClaim = {
      id: this.claims.length,
      expires: 0,
      state: "waiting",
      absent: false,
      awaited: false,
      slots: [],
      adoptedBy: asked.party,
      ...asked,
    };
    this.claims.push(claim);
    return claim;
  }

  #addKey(name: string, limit: number): ModelKey {
    const key: ModelKey = {
      limit,
      named: false,
      frozen: null,
      frozenSlots: new Map(),
      holders: [],
      waiters: [],
      idleSince: this.now,
    };
    this.keys.set(name, key);
    return key;
  }

  #grant(claim: ModelClaim): void {
    claim.state = "held";
    claim.expires = this.now + claim.lease;
    if (claim.run !== null) claim.adoptedBy = RUN;
    const key = this.keys.get(claim.key) as ModelKey;
    for (let slot = 0; claim.slots.length < claim.weight; slot++)
      if (!isTaken(key, slot) && !key.frozenSlots.has(slot)) claim.slots.push(slot);
    key.holders.push(claim);
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
    if (key === undefined) return;
    if (key.frozen !== null && key.frozen <= this.wall) this.#thaw(key, null);
    for (const [slot, { until }] of [...key.frozenSlots])
      if (until <= this.wall) this.#thaw(key, slot);
  }

  #thaw(key: ModelKey, slot: number | null): boolean {
    if (slot === null ? key.frozen === null : !key.frozenSlots.has(slot)) return false;
    if (slot === null) key.frozen = null;
    else key.frozenSlots.delete(slot);
    this.#moveUp(key);
    if (isIdle(key)) key.idleSince = this.now;
    return true;
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
    const isUnusual = !wasHeld && key.waiters.some((other) => !isPlain(other));
    claim.state = "over";
    claim.enqueued = false;
    key.holders = key.holders.filter((other) => other !== claim);
    key.waiters = key.waiters.filter((other) => other !== claim);
    const isOneOfSeveral = ["shared", "superseded", "shutdown"].includes(reason ?? "");
    const makesRoom = wasHeld || claim.awaited || isUnusual || key.holders.length === 0;
    if (makesRoom && !isOneOfSeveral) this.#moveUp(key);
    if (isIdle(key)) key.idleSince = this.now;
    // A run has nobody who could be told.
    const told = reason !== null && claim.adoptedBy !== RUN;
    if (told) this.told.push(`${claim.id} ${reason}`);
  }

  /** Counts who is passed by a claim that is served now. */
  #pass(key: ModelKey, line: readonly ModelClaim[], served: ModelClaim): void {
    const all = line.map((claim) => ({ ...claim, ready: isReady(key, claim) }));
    const passed = passedBy(all, line.indexOf(served));
    for (const place of passed) (line[place] as ModelClaim).passed += 1;
  }

  #moveUp(key: ModelKey): void {
    for (;;) {
      const [place = -1] = admit(freeOf(key), lineOf(key));
      const next = key.waiters[place];
      if (next === undefined || next.awaited) return;
      this.#pass(key, key.waiters, next);
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

function isPlain({ weight, priority, declared }: ModelClaim): boolean {
  return weight === 1 && priority === 0 && declared;
}

function isTaken({ holders }: ModelKey, slot: number): boolean {
  return holders.some(({ slots }) => slots.includes(slot));
}

function freeOf(key: ModelKey): number {
  if (key.frozen !== null) return 0;
  const slots = Array.from({ length: key.limit }, (_, slot) => slot);
  return slots.filter((slot) => !isTaken(key, slot) && !key.frozenSlots.has(slot)).length;
}

/** One that is absent is passed for what it would get, and not for what does not suffice for it. */
function isReady(key: ModelKey, { declared, absent, awaited, weight }: ModelClaim): boolean {
  return declared && (!absent || awaited || weight > freeOf(key));
}

function lineOf(key: ModelKey) {
  return key.waiters.map((claim) => ({ ...claim, ready: isReady(key, claim) }));
}

/** Whether a claim that comes now, as the last of the line, would be granted at once. */
export function isOpen(key: ModelKey, more: Partial<typeof PLAIN> = {}): boolean {
  const line = lineOf(key);
  const [first] = admit(freeOf(key), [...line, { ...PLAIN, ...more }]);
  return first === line.length;
}

export function isIdle(key: ModelKey): boolean {
  return !isUsed(key) && key.frozen === null && key.frozenSlots.size === 0;
}
