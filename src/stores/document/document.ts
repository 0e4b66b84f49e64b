import type { Hold } from "../../lock/history.ts";
import type { Metadata } from "../../lock/owner.ts";
import type { ReclaimReason } from "../../lock/reclaim.ts";
import type { Freeze } from "../../lock/status.ts";
import type { Life } from "./life.ts";

/** The version of this format. A document of another one is left alone. */
export const DOCUMENT_VERSION = 1;

/**
 * The whole state of one key. Plain JSON, and never changed in place: an operation makes the next
 * state of it, and a register puts that in its place only if nobody else was first.
 */
export interface KeyDocument {
  readonly v: typeof DOCUMENT_VERSION;
  readonly key: string;
  /** New in every state, so that no two states are alike and a swap whose answer was lost is found. */
  readonly nonce: string;
  /** Those of the states before, newest first: such a swap may have been followed by others. */
  readonly nonces: readonly string[];
  /** How many may hold at once. It may change when nobody holds or waits. */
  readonly slots: number;
  /** The highest that was ever given; null where none was. */
  readonly fence: number | null;
  readonly holders: readonly HolderEntry[];
  /** In order of arrival. */
  readonly line: readonly WaiterEntry[];
  /**
   * Names the present turn: a slot is free and the same claim is first in line. It changes with
   * every turn, so that a watcher can say how long this one was left untaken.
   */
  readonly turn: string | null;
  readonly freeze: Freeze | null;
  /** When the freeze is over, ISO 8601 by the engine's clock. Absent as `ends` of a holder. */
  readonly freezeEnds?: string | undefined;
  /** Who ended the last freeze and when, for the record: a register's past states are its audit. */
  readonly thawed?: { readonly by: string; readonly at: string };
  /** Who last removed claims from the line, when and why, and whose they were: also for the record. */
  readonly cleared?: Cleared;
  /** From whom the lock was taken and why, newest first, so that it can be told. */
  readonly taken: readonly Taken[];
  /** Claims that a newer one ended while they waited, newest first. */
  readonly superseded: readonly Superseded[];
  /** The latest holds that are over, newest first. */
  readonly holds: readonly Hold[];
}

/** What a claim says of itself, in the line and as a holder. */
export interface Claimant {
  /** Of this claim alone. */
  readonly id: string;
  readonly owner: string;
  /** Of its token. The token itself is a secret, and a document is not. */
  readonly digest: string;
  /** Milliseconds that the lock outlives its last renewal. */
  readonly ttl: number;
  /** Milliseconds of silence after which it counts as dead. */
  readonly deadAfter: number;
  readonly note: string | null;
  readonly metadata: Metadata;
  /** Null where it is of a kind that this version does not know: then nobody can judge it. */
  readonly life: Life | null;
  /** Set where the lock belongs to a whole run: later claims with the same text share it. */
  readonly run?: string;
}

export interface WaiterEntry extends Claimant {
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
  /** When it was granted, ISO 8601. */
  readonly since: string;
  /** Milliseconds that its claim waited. */
  readonly waited: number | null;
  /** The nonce of its latest sign of life, or of its grant: who watches it sees whether it lives. */
  readonly beat: string;
  /** The nonce of its latest refresh, from which its ttl counts: a bounded hold beats without it. */
  readonly refresh: string;
  /** When the latest of the two was, ISO 8601, for people. */
  readonly renewed: string;
  /**
   * When a hold with a fixed end (a run's, or a detached one) is over, ISO 8601 by the engine's clock.
   * Absent where that was not known: then its ttl counts from when each process first saw it.
   */
  readonly ends?: string;
  /** Digests of the tokens of those that share the hold. */
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
    v: DOCUMENT_VERSION,
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
 * The present time. `shared`: by the engine's clock, which is the same for all. Else by this machine's,
 * which may be wrong by hours: then it is only told to people, and bounds nothing.
 */
export interface Instant {
  readonly now: number;
  readonly shared: boolean;
}

/** Milliseconds until a time of the engine's clock; null where one of the two is not known. */
export function untilTime(time: string | undefined, { now, shared }: Instant): number | null {
  const left = Date.parse(time ?? "") - now;
  return !shared || Number.isNaN(left) ? null : left;
}

/** How many slots nobody holds. */
export function freeSlots(document: Pick<KeyDocument, "slots" | "holders">): number {
  return Math.max(0, document.slots - document.holders.length);
}

/** The freeze that is in force: where no clock says that it is over, it is until somebody thaws it. */
export function freezeAt({ freeze, freezeEnds }: KeyDocument, instant: Instant): Freeze | null {
  if (freeze === null || freeze.until === null) return freeze;
  const left = untilTime(freezeEnds, instant);
  return left === null || left > 0 ? freeze : null;
}

/** How long a freeze was to last, in milliseconds; null: until it is thawed. */
export function freezeLasts({ since, until }: Freeze): number | null {
  return until === null ? null : Date.parse(until) - Date.parse(since);
}
