import { followNames } from "../../lock/resources.ts";
import type { Freeze, SlotFreeze } from "../../lock/status.ts";
import { nextFence } from "../../lock/time.ts";
import { type Claim, type Entry, type Listener, Party } from "./claim.ts";
import type { EndReason } from "./ends.ts";
import type { Entries } from "./entries.ts";
import { publicName } from "./names.ts";
import { isOutdated, newerOf } from "./newest.ts";
import type { KeptLease, KeptPlace, TableOptions } from "./types.ts";

/** The listener of a party that cannot be told anything. */
export const NOBODY: Listener = { granted() {}, ended() {} };

/** Ends that come to several claims of a line at once: nobody moves up before they are all over. */
const SEVERAL: readonly EndReason[] = ["shared", "superseded", "shutdown"];

/**
 * How claims come to hold a key and how they end: what the table's operations have in common. After
 * each of them the first in line are granted what is free.
 */
export class Turns {
  readonly #options: TableOptions;
  readonly #entries: Entries;
  held = 0;
  waiting = 0;
  #parties = 0;
  /**
   * One count for all keys: so it grows for each of them, also for one that was forgotten and came
   * back while the clock went wrong, and a restart has to remember one number only.
   */
  #lastFence: number | null;

  constructor(options: TableOptions, entries: Entries) {
    this.#options = options;
    this.#entries = entries;
    this.#lastFence = options.lastFence ?? null;
  }

  nextParty(): number {
    this.#parties += 1;
    return this.#parties;
  }

  /** Puts a claim at the end of the line. */
  join(claim: Claim): void {
    const { clock, observer } = this.#options;
    const { entry } = claim;
    if (entry.idle) this.#entries.wake(entry);
    claim.since = clock.now();
    entry.waiters.push(claim);
    this.waiting += 1;
    observer?.joined?.(claim);
  }

  grant(claim: Claim, now: number): void {
    const { clock, makeToken, observer } = this.#options;
    const { entry } = claim;
    if (entry.idle) this.#entries.wake(entry);
    const wall = clock.now();
    this.#lastFence = nextFence(this.#lastFence, wall);
    // A clock that was set back must not make a wait negative.
    if (claim.since > 0 && wall > claim.since) claim.waited = wall - claim.since;
    if (claim.run !== null) claim.moveTo(this.runParty(claim.party));
    claim.begin(this.#lastFence, makeToken(this.#lastFence), wall, now + claim.lease);
    entry.addHolder(claim);
    this.held += 1;
    observer?.granted?.(claim);
  }

  /** Makes the party of a run's hold. It is nobody's connection or session, so that none of them ends it. */
  runParty(claimer: Party | null): Party {
    const party = new Party(this.nextParty(), NOBODY, null, "http");
    party.gone = true;
    if (claimer === null) return party;
    const nameless = { owner: { id: publicName(claimer), metadata: {} }, note: null };
    party.introduction = claimer.introduction ?? nameless;
    return party;
  }

  /** Puts a lease back that was held when the server ended. */
  restore(claim: Claim, kept: KeptLease, now: number): void {
    const { entry } = claim;
    if (entry.idle) this.#entries.wake(entry);
    claim.waited = kept.waited;
    claim.run = kept.run;
    claim.newest = kept.newest;
    claim.origin = now - (this.#options.clock.now() - kept.since) - kept.waited;
    claim.begin(kept.fence, kept.token, kept.since, now + kept.left);
    entry.restoreHolder(claim, kept.slots);
    this.held += 1;
    this.#lastFence = Math.max(this.#lastFence ?? 0, claim.fence);
  }

  /** Puts a claim back that waited when the server ended: nobody passes it until it is back, or `left` is over. */
  restorePlace(claim: Claim, kept: KeptPlace, now: number): void {
    const { entry } = claim;
    if (entry.idle) this.#entries.wake(entry);
    claim.since = kept.since;
    claim.run = kept.run;
    claim.newest = kept.newest;
    claim.place = kept.place;
    claim.origin = now - Math.max(0, this.#options.clock.now() - kept.asked);
    claim.passed = kept.passed;
    claim.declared = kept.ready;
    claim.absent = true;
    claim.awaited = true;
    claim.expires = now + kept.left;
    if (claim.expires < entry.earliest) entry.earliest = claim.expires;
    entry.awaited += 1;
    entry.waiters.push(claim);
    this.waiting += 1;
  }

  /** The client of a waiting claim is there again. */
  comeBack(claim: Claim): void {
    if (claim.awaited) this.#options.observer?.returned?.(claim);
    this.#awaitNoMore(claim);
  }

  #awaitNoMore(claim: Claim): void {
    claim.absent = false;
    if (claim.awaited) claim.entry.awaited -= 1;
    claim.awaited = false;
  }

  /** A claim that only kept its place would take the lock from now on. */
  declare(claim: Claim): void {
    if (claim.state !== "waiting" || claim.declared) return;
    claim.entry.waiters.declare(claim);
    this.#options.observer?.changed?.(claim);
  }

  extend(claim: Claim, lease: number, now: number): void {
    const { clock, observer } = this.#options;
    claim.lease = lease;
    claim.renewed = clock.now();
    claim.expires = now + lease;
    if (claim.expires < claim.entry.earliest) claim.entry.earliest = claim.expires;
    observer?.renewed?.(claim);
  }

  /** Whether its lease ran out; it is then over. So no claim is held longer than its lease, also between two sweeps. */
  ranOut(claim: Claim, now: number): boolean {
    if (claim.state !== "held" || claim.expires > now) return false;
    this.end(claim, "expired", now);
    return true;
  }

  /** Ends what ran out: leases, places of those that did not come back, and a freeze that had an end. */
  expire(entry: Entry, now: number): void {
    if (entry.earliest <= now) {
      for (const claim of entry.findExpired(now)) {
        // The end of one before it may have let in another one of its run, with which it shares.
        if (claim.state !== "over") this.end(claim, "expired", now);
      }
    }
    if (!entry.isFrozen) return;
    if (this.#isThawed(entry.freeze)) this.thaw(entry, null, null, now);
    for (const [slot, freeze] of entry.frozenSlots)
      if (this.#isThawed(freeze)) this.thaw(entry, slot, null, now);
  }

  /** An end of the calendar, as people were told it: so the wall clock counts. */
  #isThawed(freeze: Freeze | null): boolean {
    const until = freeze?.until ?? null;
    return until !== null && Date.parse(until) <= this.#options.clock.now();
  }

  /** Ends a claim. Where it made room, the first in line are granted it, unless the caller ends several. */
  end(claim: Claim, reason: EndReason, now: number): void {
    const { entry, party } = claim;
    const wasHeld = claim.state === "held";
    let makesRoom = wasHeld || claim.awaited;
    this.#awaitNoMore(claim);
    claim.state = "over";
    party.remove(claim);
    if (claim.enqueued) party.enqueued?.delete(entry.key);
    if (wasHeld) {
      entry.removeHolder(claim);
      this.held -= 1;
    } else {
      // One that was waited for may have kept back what others can have.
      makesRoom ||= !entry.waiters.isPlain;
      entry.waiters.remove(claim);
      this.waiting -= 1;
    }
    makesRoom ||= entry.holders.size === 0;
    this.#options.observer?.ended?.(claim, reason, wasHeld);
    if (makesRoom && !SEVERAL.includes(reason)) this.moveUp(entry, now);
    if (reason !== "withdrawn" && reason !== "hangup") party.listener.ended(claim, reason);
  }

  /** `slot`: null freezes the whole key. */
  freeze(entry: Entry, slot: number | null, freeze: Omit<SlotFreeze, "slot">): void {
    if (entry.idle) this.#entries.wake(entry);
    if (slot === null) entry.freeze = freeze;
    else entry.frozenSlots = new Map(entry.frozenSlots).set(slot, { ...freeze, slot });
  }

  /** Freezes of single slots follow their names, now that the slots have other ones. */
  renumber(entry: Entry): void {
    const before = [...entry.frozenSlots.keys()];
    const after = followNames([...entry.frozenSlots.values()], entry.resources);
    entry.frozenSlots = new Map(after.map((freeze) => [freeze.slot, freeze]));
    this.#options.observer?.renumbered?.(entry, before);
  }

  /** Ends a freeze: the first in line are granted what is free. `by`: null where its time is over. */
  thaw(entry: Entry, slot: number | null, by: string | null, now: number): Freeze | null {
    const freeze = slot === null ? entry.freeze : entry.frozenSlots.get(slot);
    if (freeze == null) return null;
    if (slot === null) entry.freeze = null;
    else entry.frozenSlots = new Map([...entry.frozenSlots].filter(([each]) => each !== slot));
    this.#options.observer?.thawed?.(entry.key, freeze, by, slot);
    this.moveUp(entry, now);
    return freeze;
  }

  /** Ends the waiting claims of a run that has the lock now: they share it. `moveUp` is to follow. */
  shareWith(held: Claim, now: number): void {
    if (held.run === null) return;
    for (const claim of [...held.entry.waiters]) {
      if (claim.run !== held.run) continue;
      claim.sharing = held;
      held.shared = true;
      this.end(claim, "shared", now);
    }
  }

  /** Ends the older claims in line that want to be the newest, now that there is a newer one. */
  supersede(newer: Claim, now: number): void {
    for (const claim of [...newer.entry.waiters]) {
      if (!isOutdated(claim, newer)) continue;
      claim.newer = newerOf(newer);
      this.end(claim, "superseded", now);
    }
    this.moveUp(newer.entry, now);
  }

  /** Grants free slots to the first in line. Without a line, holders and a freeze the key becomes idle. */
  moveUp(entry: Entry, now: number): void {
    while (entry.free > 0) {
      const next = entry.nextInLine();
      if (next === null) break;
      const { listener } = next.party;
      for (const passed of entry.waiters.pass(next)) this.#options.observer?.changed?.(passed);
      entry.waiters.remove(next);
      this.waiting -= 1;
      this.grant(next, now);
      listener.granted(next);
      this.shareWith(next, now);
    }
    if (entry.isUsed || entry.idle) return;
    if (!entry.isFrozen) this.#entries.rest(entry, now);
    else entry.reset();
  }
}
