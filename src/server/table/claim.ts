import { type InLine, isPlain, PLAIN } from "../../lock/admission.ts";
import type { Freeze, SlotFreeze } from "../../lock/status.ts";
import type { Introduction } from "../../wire/introduction.ts";
import type { Breaking, EndReason, Newer } from "./ends.ts";
import { Line, type Share } from "./line.ts";
import { type Linked, LinkedList } from "./list.ts";
import { Slots } from "./slots.ts";

/**
 * How the table speaks to a party. It is called in the middle of other parties' requests: it must
 * not throw and must not call the table, only take note and answer its own client.
 */
export interface Listener {
  /** A claim that waited is now held. */
  granted(claim: Claim): void;
  /** A claim is over, by anything but the party's own withdrawing or hanging up. */
  ended(claim: Claim, reason: EndReason): void;
}

/** The door through which a party came. */
export type DoorName = "tcp" | "http";

/** A party holds locks and waits for them: a connection, or a session. */
export class Party {
  readonly id: number;
  /** A session from before a restart gets one when its door opens. */
  listener: Listener;
  readonly door: DoorName;
  /** The session that it is, by the digest of its id; null: a connection. */
  readonly session: string | null;
  introduction: Introduction | null = null;
  /** The job that it is, as an ID token names it; null: none was shown, or it names none. */
  job: string | null = null;
  /** Milliseconds of silence after which it ends, and its locks with it, whatever their lease. */
  patience = Number.POSITIVE_INFINITY;
  /** Gone: it can be told nothing, and what it still holds waits for its lease to end. */
  gone = false;
  /** Claims of the first phase (`e`), by key, until the second (`w`) comes for them. Most have none. */
  enqueued: Map<string, Claim> | null = null;
  #first: Claim | null = null;

  constructor(
    id: number,
    listener: Listener,
    session: string | null = null,
    door: DoorName = session === null ? "tcp" : "http",
  ) {
    this.id = id;
    this.listener = listener;
    this.session = session;
    this.door = door;
  }

  /** Whether what it holds outlives a restart, where the server has a memory for that. */
  get isKept(): boolean {
    return this.session !== null || this.introduction !== null;
  }

  /** Whether its client can prove after a restart that it is the same: by its session, or its claim's id. */
  get canReturn(): boolean {
    return this.isKept && (this.session ?? this.introduction?.claim) !== undefined;
  }

  /** Whether both are connections that introduced themselves as one owner. */
  isSameOwnerAs(other: Party): boolean {
    const owner = this.introduction?.owner.id;
    return this !== other && owner !== undefined && owner === other.introduction?.owner.id;
  }

  /** Whether both are connections of one claim of a client. */
  isSameClaimAs(other: Party): boolean {
    const claim = this.introduction?.claim;
    return this !== other && claim !== undefined && claim === other.introduction?.claim;
  }

  get hasClaims(): boolean {
    return this.#first !== null;
  }

  /** All that it holds and waits for, the oldest first. */
  claims(): Claim[] {
    const claims: Claim[] = [];
    for (let claim = this.#first; claim !== null; claim = claim.olderOfParty) claims.push(claim);
    return claims.reverse();
  }

  add(claim: Claim): void {
    claim.olderOfParty = this.#first;
    if (this.#first !== null) this.#first.newerOfParty = claim;
    this.#first = claim;
  }

  remove(claim: Claim): void {
    const { newerOfParty, olderOfParty } = claim;
    if (newerOfParty === null) this.#first = olderOfParty;
    else newerOfParty.olderOfParty = olderOfParty;
    if (olderOfParty !== null) olderOfParty.newerOfParty = newerOfParty;
    claim.newerOfParty = null;
    claim.olderOfParty = null;
  }
}

/**
 * One request in line, from joining it to its release. The same object first waits and then holds, so
 * that a grant has nothing to allocate but its token.
 */
export class Claim implements Linked<Claim>, InLine {
  previous: Claim | null = null;
  next: Claim | null = null;
  newerOfParty: Claim | null = null;
  olderOfParty: Claim | null = null;
  readonly entry: Entry;
  party: Party;
  enqueued = false;
  readonly weight: number;
  readonly priority: number;
  passed = 0;
  /** Its client has said that it would take the lock. Until then it only keeps its place. */
  declared = true;
  /** Its client is not there to be told of a grant: it keeps its place, and is passed over. */
  absent = false;
  /** It waited when the server ended, and may be back: nobody passes it until it is dropped. */
  awaited = false;
  /** Its number in the storage while it waits, by which lines are put back in order; 0: it has none. */
  place = 0;
  /** Its client was told of the grant, where it could also be that nobody heard of it. */
  told = false;
  state: "waiting" | "held" | "over" = "waiting";
  /** Milliseconds that it is held without being renewed. */
  lease: number;
  /** Wall clock, milliseconds: when it joined the line; once held, when it was granted. */
  since = 0;
  /** Milliseconds from joining the line to the grant. */
  waited = 0;
  /** Wall clock of the last sign of life. */
  renewed = 0;
  /** By the monotonic clock: when its lease ends; while it is awaited, when it is dropped. */
  expires = 0;
  fence = 0;
  token = "";
  slot = 0;
  /** All slots that it has, where those are more than one. */
  several: readonly number[] | null = null;
  /** The lease that is to outlive a restart, in milliseconds; 0: none is. */
  kept = 0;
  /** Set when it is broken for a reason. */
  breaking: Breaking | null = null;
  /** A newer claim of the kind ends it while it waits. */
  newest = false;
  /** By the monotonic clock: when its client first asked, also where it had to ask anew. */
  origin = 0;
  /** The newer claim that ended it. */
  newer: Newer | null = null;
  /** The run that the lock belongs to: no party's end ends it, and no renewal makes it longer. */
  run: string | null = null;
  /** A claim that is over by "shared": the hold of its run. */
  sharing: Claim | null = null;
  /** Of a run's hold: more than one claim has it. */
  shared = false;

  constructor(entry: Entry, party: Party, lease: number, share: Share = PLAIN) {
    this.entry = entry;
    this.party = party;
    this.lease = lease;
    this.weight = share.weight;
    this.priority = share.priority;
    party.add(this);
  }

  /**
   * Whether it is its turn where it is the first. One that is absent is passed over for what it would
   * get; what does not suffice for it is kept for it all the same. One that is awaited blocks those
   * behind it.
   */
  get ready(): boolean {
    return this.declared && (!this.absent || this.awaited || this.weight > this.entry.free);
  }

  /** Whether the order of arrival alone says when it is served. */
  get isPlain(): boolean {
    return this.declared && isPlain(this);
  }

  /** Every slot that it has. */
  get slots(): readonly number[] {
    return this.several ?? [this.slot];
  }

  /** Gives the claim to another party, with whose end it ends from now on. */
  moveTo(party: Party): void {
    this.party.remove(this);
    this.party = party;
    party.add(this);
  }

  /** Wall clock, ISO 8601: when a run's hold ends at the latest, since nothing renews it. */
  get bound(): string {
    return new Date(this.since + this.lease).toISOString();
  }

  /** Makes the claim held. */
  begin(fence: number, token: string, since: number, expires: number): void {
    this.fence = fence;
    this.token = token;
    this.since = since;
    this.renewed = since;
    this.state = "held";
    this.expires = expires;
    if (expires < this.entry.earliest) this.entry.earliest = expires;
  }
}

const NONE: ReadonlyMap<number, SlotFreeze> = new Map();

/** Up to how many holders a look at each is cheaper than a map, and leaves no garbage. */
const FEW_HOLDERS = 8;

/** The state of one key. A lock is an entry with limit 1; there is no other difference. */
export class Entry implements Linked<Entry> {
  previous: Entry | null = null;
  next: Entry | null = null;
  readonly key: string;
  limit: number;
  /** The names of the slots; null where they have none. */
  resources: readonly string[] | null = null;
  readonly holders = new LinkedList<Claim>();
  readonly waiters = new Line<Claim>();
  /** How many of the waiters are awaited. */
  awaited = 0;
  /** Nothing here ends before this moment, no lease and no awaiting; a renewed lease may end later. */
  earliest = Number.POSITIVE_INFINITY;
  /** Nobody holds it, waits for it or has frozen it. */
  idle = true;
  /** By the monotonic clock; means something while idle. */
  idleSince = 0;
  /** While it is set, nobody gets the key. */
  freeze: Freeze | null = null;
  /** Slots that are frozen by themselves. */
  frozenSlots: ReadonlyMap<number, SlotFreeze> = NONE;
  #taken = 0;
  /** Only where there may be many holders. */
  #byToken: Map<string, Claim> | null = null;
  readonly #slots = new Slots();

  constructor(key: string, limit: number) {
    this.key = key;
    this.limit = limit;
  }

  get isUsed(): boolean {
    return this.holders.size + this.waiters.size > 0;
  }

  get isFrozen(): boolean {
    return this.freeze !== null || this.frozenSlots.size > 0;
  }

  /** How many slots can be given out. */
  get free(): number {
    if (this.freeze !== null) return 0;
    let free = this.limit - this.#taken;
    for (const slot of this.frozenSlots.keys())
      if (slot < this.limit && !this.#slots.isTaken(slot)) free -= 1;
    return Math.max(0, free);
  }

  /**
   * Whether a claim that comes now would be granted at once: judged as the last of the line. It does
   * not pass one that is on its way back.
   */
  isOpenTo(claim: Share & Partial<Pick<InLine, "ready">> = PLAIN): boolean {
    const { free } = this;
    if (claim.ready === false || claim.weight > free) return false;
    const isWaitedFor = this.waiters.isPlain && this.awaited > 0 && isPlain(claim);
    return !isWaitedFor && this.waiters.isFirst(claim);
  }

  /** Finds the hold of a run. */
  findRun(run: string): Claim | null {
    return this.holders.find((claim) => claim.run === run);
  }

  addHolder(claim: Claim): void {
    claim.slot = this.#slots.take(this.frozenSlots);
    if (claim.weight > 1) {
      const take = () => this.#slots.take(this.frozenSlots);
      claim.several = [claim.slot, ...Array.from({ length: claim.weight - 1 }, take)];
    }
    this.#hold(claim);
  }

  /** Adds a holder in the slots that it had. */
  restoreHolder(claim: Claim, slots: readonly number[]): void {
    for (const slot of slots) this.#slots.retake(slot);
    claim.slot = slots[0] ?? 0;
    if (slots.length > 1) claim.several = slots;
    this.#hold(claim);
  }

  removeHolder(claim: Claim): void {
    this.holders.remove(claim);
    this.#byToken?.delete(claim.token);
    for (const slot of claim.slots) this.#slots.free(slot);
    this.#taken -= claim.weight;
  }

  findHolder(token: string): Claim | null {
    if (this.#byToken !== null) return this.#byToken.get(token) ?? null;
    let claim = this.holders.first;
    while (claim !== null && claim.token !== token) claim = claim.next;
    return claim;
  }

  /**
   * Finds what is kept for this very claim, whose connection is gone: what it was granted before it
   * could be told, or the place that it had in line before the server's restart.
   */
  findKeptFor(party: Party): Claim | null {
    if (party.introduction === null) return null;
    const isKept = (claim: Claim) => claim.party.gone && claim.party.isSameClaimAs(party);
    const held = this.holders.find(isKept);
    return held === null && this.awaited > 0 ? this.waiters.find(isKept) : held;
  }

  /**
   * The next in line that is granted what is free: null where it does not suffice for that claim, or it
   * is still on its way back.
   */
  nextInLine(): Claim | null {
    const { next } = this.waiters;
    return next === null || next.awaited || next.weight > this.free ? null : next;
  }

  /** Finds holders whose lease is over, and waiters that did not come back; the others tell when to look again. */
  findExpired(now: number): Claim[] {
    const expired: Claim[] = [];
    this.earliest = Number.POSITIVE_INFINITY;
    const look = (claim: Claim) => {
      if (claim.expires <= now) expired.push(claim);
      else if (claim.expires < this.earliest) this.earliest = claim.expires;
    };
    for (const claim of this.holders) look(claim);
    if (this.awaited > 0) for (const claim of this.waiters) if (claim.awaited) look(claim);
    return expired;
  }

  /** Starts the bookkeeping anew when the key is free; the limit may change then. */
  reset(): void {
    this.earliest = Number.POSITIVE_INFINITY;
    if (this.limit === 1) return;
    this.#byToken = null;
    this.#slots.clear();
  }

  #hold(claim: Claim): void {
    this.holders.push(claim);
    this.#taken += claim.weight;
    if (this.limit <= FEW_HOLDERS) return;
    this.#byToken ??= new Map();
    this.#byToken.set(claim.token, claim);
  }
}
