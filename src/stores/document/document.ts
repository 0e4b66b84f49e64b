import type { Hold } from "../../lock/history.ts";
import type { Metadata } from "../../lock/owner.ts";
import type { ReclaimReason } from "../../lock/reclaim.ts";
import { nameFreeze } from "../../lock/resources.ts";
import type { Freeze, SlotFreeze } from "../../lock/status.ts";
import type { Life } from "./life.ts";

/** The version of this format. A document of a later version is left alone. */
export const DOCUMENT_VERSION = 2;

/**
 * The version that a document is written with. A document without weights, priorities, names, frozen slots and
 * claims that are not ready is written as earlier versions understand it. They refuse any other, since they
 * would count one slot for each holder.
 */
export function versionFor(document: KeyDocument): 1 | typeof DOCUMENT_VERSION {
  const { holders, line, resources, frozenSlots = [] } = document;
  const isPlain =
    resources === undefined &&
    frozenSlots.length === 0 &&
    holders.every(({ slots }) => slots === undefined) &&
    line.every(({ weight, priority, ready }) => (weight ?? priority ?? ready) === undefined);
  return isPlain ? 1 : DOCUMENT_VERSION;
}

/**
 * The whole state of one key. Plain JSON, and never changed in place: an operation makes the next
 * state of it, and a register puts that in its place only if nobody else was first.
 */
export interface KeyDocument {
  readonly v: 1 | typeof DOCUMENT_VERSION;
  readonly key: string;
  /** New in every state: so no two states are alike, and a swap whose answer was lost can be found. */
  readonly nonce: string;
  /** The nonces of the states before, newest first: others may have followed such a swap. */
  readonly nonces: readonly string[];
  /** How many slots there are. The number may change when nobody holds or waits. */
  readonly slots: number;
  /** Their names; absent if they have none. They may change when `slots` may. */
  readonly resources?: readonly string[] | undefined;
  /** The highest fence that was ever given; null if there was none. */
  readonly fence: number | null;
  readonly holders: readonly HolderEntry[];
  /** In order of arrival. */
  readonly line: readonly WaiterEntry[];
  /**
   * Names the present turn: a claim in line may enter, and the same claim is the first that may. It changes with
   * every turn, so that a watcher can say how long this turn was left untaken.
   */
  readonly turn: string | null;
  readonly freeze: Freeze | null;
  /** When the freeze is over, ISO 8601 by the engine's clock. Absent in the same cases as `ends` of a holder. */
  readonly freezeEnds?: string | undefined;
  /** Slots that are frozen by themselves, until somebody thaws them or sees that their time is over. */
  readonly frozenSlots?: readonly FrozenSlot[] | undefined;
  /** Who ended the last freeze and when, for the record: a register's past states are its audit. */
  readonly thawed?: { readonly by: string; readonly at: string };
  /** Who last removed claims from the line, when and why, and whose claims they were: for the record. */
  readonly cleared?: Cleared;
  /** From whom the lock was taken and why, newest first, so that they can be told. */
  readonly taken: readonly Taken[];
  /** Claims that a newer one ended while they waited, newest first. */
  readonly superseded: readonly Superseded[];
  /** The latest holds that are over, newest first. */
  readonly holds: readonly Hold[];
}

export interface FrozenSlot extends SlotFreeze {
  /** When it is over, ISO 8601 by the engine's clock. Absent in the same cases as `ends` of a holder. */
  readonly ends?: string | undefined;
}

/** What a claim says about itself, in the line and as a holder. */
export interface Claimant {
  /** The id of this claim alone. */
  readonly id: string;
  readonly owner: string;
  /** The digest of its token. The token itself is a secret, and a document is not. */
  readonly digest: string;
  /** Milliseconds that the lock outlives its last renewal. */
  readonly ttl: number;
  /** Milliseconds of silence after which it counts as dead. */
  readonly deadAfter: number;
  readonly note: string | null;
  readonly metadata: Metadata;
  /** Null if it is of a kind that this version does not know: then nobody can judge it. */
  readonly life: Life | null;
  /** Set if the lock belongs to a whole run: later claims with the same text share it. */
  readonly run?: string;
}

/**
 * A claim's place by the rule of admission. A field that is absent has its usual value: weight 1, priority 0,
 * ready.
 */
export interface Rank {
  readonly weight?: number;
  readonly priority?: number;
  /** How many later claims were served while it waited and was ready. */
  readonly passed?: number;
  /** Set while it only keeps its place, and does not take the lock yet. */
  readonly ready?: false;
}

export interface WaiterEntry extends Claimant, Rank {
  /** ISO 8601, by its own machine's clock. */
  readonly joined: string;
  /** A newer claim of this kind ends it. */
  readonly newest?: boolean;
  /** The nonce of the latest sign of life that it gave while a turn before its own was left untaken. */
  readonly sign?: string;
}

export interface HolderEntry extends Claimant {
  readonly fence: number;
  readonly slot: number;
  /** All slots that it has, if it has several; `slot` is the first of them. */
  readonly slots?: readonly number[];
  /** When it was granted, ISO 8601. */
  readonly since: string;
  /** Milliseconds that its claim waited. */
  readonly waited: number | null;
  /** The nonce of its latest sign of life, or of its grant: a watcher sees by it whether the holder lives. */
  readonly beat: string;
  /** The nonce of its latest refresh, from which its ttl counts: a bounded hold beats without it. */
  readonly refresh: string;
  /** When the latest of the two was, ISO 8601, for people. */
  readonly renewed: string;
  /**
   * When a hold with a fixed end (a run's, or a detached one) is over, ISO 8601 by the engine's clock. Absent if
   * that was not known: then its ttl counts from when each process first saw it.
   */
  readonly ends?: string;
  /** Digests of the tokens of the claims that share the hold. */
  readonly sharers?: readonly string[];
}

export interface Taken {
  readonly fence: number;
  readonly by: string;
  /** Why, in the words of `break`, or the rule by which it was reclaimed. */
  readonly reason: string;
  readonly how: "break" | ReclaimReason;
}

export interface Cleared {
  readonly by: string;
  readonly at: string;
  readonly reason: string;
  readonly owners: readonly string[];
}

export interface Superseded {
  readonly id: string;
  readonly by: string;
  /** The page of the newer claim's run. */
  readonly url: string | null;
}

/** A key that has no document yet. */
export function emptyDocument(key: string): KeyDocument {
  return {
    v: 1,
    key,
    nonce: "",
    nonces: [],
    slots: 1,
    fence: null,
    holders: [],
    line: [],
    turn: null,
    freeze: null,
    taken: [],
    superseded: [],
    holds: [],
  };
}

/**
 * The present time. `shared`: by the engine's clock, which is the same for all. Else it is by this machine's
 * clock, which may be wrong by hours: people are told it, and it bounds nothing.
 */
export interface Instant {
  readonly now: number;
  readonly shared: boolean;
}

/** Milliseconds until a time of the engine's clock; null if one of the two is not known. */
export function untilTime(time: string | undefined, { now, shared }: Instant): number | null {
  const left = Date.parse(time ?? "") - now;
  return !shared || Number.isNaN(left) ? null : left;
}

/** The slots of a key, and who has them. */
export type Room = Pick<KeyDocument, "slots" | "holders" | "frozenSlots">;

/** The slots that a holder has. */
export function slotsOf({ slot, slots }: Pick<HolderEntry, "slot" | "slots">): readonly number[] {
  return slots ?? [slot];
}

/** The slots that are neither held nor frozen, the lowest first. */
export function openSlots({ slots, holders, frozenSlots = [] }: Room): number[] {
  const held = holders.flatMap(slotsOf);
  const taken = new Set([...held, ...frozenSlots.map(({ slot }) => slot)]);
  const free = Array.from({ length: slots }, (_, slot) => slot).filter((slot) => !taken.has(slot));
  // Strangers may have put two holders into one slot: then that many slots fewer are free.
  return free.slice(0, Math.max(0, slots - held.length));
}

/** How many slots are neither held nor frozen. */
export function freeSlots(room: Room): number {
  const { slots, holders, frozenSlots = [] } = room;
  if (frozenSlots.length > 0) return openSlots(room).length;
  return holders.reduce((free, holder) => Math.max(0, free - slotsOf(holder).length), slots);
}

/** The freeze that is in force. If no clock says that it is over, it lasts until somebody thaws it. */
export function freezeAt({ freeze, freezeEnds }: KeyDocument, instant: Instant): Freeze | null {
  if (freeze === null || freeze.until === null) return freeze;
  const left = untilTime(freezeEnds, instant);
  return left === null || left > 0 ? freeze : null;
}

/** The freezes of single slots that are in force, as a person should see them. */
export function frozenSlotsAt(
  { frozenSlots = [], resources }: KeyDocument,
  instant: Instant,
): SlotFreeze[] {
  return frozenSlots
    .filter(({ ends }) => (untilTime(ends, instant) ?? 1) > 0)
    .map(({ ends: _, ...freeze }) => nameFreeze(freeze, resources));
}

/** How long a freeze was to last, in milliseconds; null: until it is thawed. */
export function freezeLasts({ since, until }: Freeze): number | null {
  return until === null ? null : Date.parse(until) - Date.parse(since);
}
