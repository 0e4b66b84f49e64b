import type { Freeze } from "../../lock/status.ts";
import type { Clock } from "../../lock/time.ts";
import type { TokenMaker } from "../../wire/token.ts";
import type { Claim, Entry } from "./claim.ts";
import type { EndReason } from "./ends.ts";
import type { Share } from "./line.ts";

/** Why a request was refused. Nothing has changed then. */
export type Refusal =
  | "max-locks"
  | "max-waiters"
  | "limit-mismatch"
  | "resources-mismatch"
  | "already-enqueued"
  | "not-enqueued"
  | "not-held"
  | "closing";

/** Watches everything, for the log and for storage. Must not throw and must not call the table. */
export interface Observer {
  /** A claim began to wait. */
  joined?(claim: Claim): void;
  /** A claim from before a restart is back in its place. */
  returned?(claim: Claim): void;
  granted?(claim: Claim): void;
  /** Of a claim that waits something else is to be remembered now: that it was passed, or is ready. */
  changed?(claim: Claim): void;
  renewed?(claim: Claim): void;
  ended?(claim: Claim, reason: EndReason, wasHeld: boolean): void;
  /** `key`: as on the wire; `replaced`: the freeze that it had until now. */
  frozen?(key: string, freeze: Freeze, replaced: Freeze | null, only: FrozenSlot | null): void;
  /** The slots of a key that is frozen in part have other names now. `before`: the numbers that were frozen. */
  renumbered?(entry: Entry, before: readonly number[]): void;
  /** `by`: null where its time was over. `slot`: null where it was a freeze of the whole key. */
  thawed?(key: string, freeze: Freeze, by: string | null, slot: number | null): void;
}

/** The one slot that is frozen, of so many, and how they are called. */
export interface FrozenSlot {
  readonly slot: number;
  readonly limit: number;
  readonly resources: readonly string[] | null;
}

/** What a claim may ask for beyond its key, slots and lease. */
export interface ClaimTerms extends Partial<Share> {
  /** The names of the slots; null: they have none. Left out: its client has no word for them. */
  readonly resources?: readonly string[] | null;
  /** False: it only keeps a place in line, until it is declared ready. */
  readonly ready?: boolean;
  /** It ends older claims of the kind that wait, and is ended by newer ones. */
  readonly newest?: boolean;
  /** Milliseconds since its client first asked. */
  readonly age?: number;
  /** The run that the lock is to belong to; its lease is then a hard bound. */
  readonly run?: string | null;
}

export interface TableOptions {
  readonly clock: Clock;
  readonly makeToken: TokenMaker;
  /** Keys at once; 0: no limit. */
  readonly maxLocks: number;
  /** Waiters of one key; 0: no limit. */
  readonly maxWaiters: number;
  readonly observer?: Observer;
  /** The highest fence that was ever given, where it is remembered. */
  readonly lastFence?: number;
}

/** What must be known of a lease to put it back. Times are in milliseconds. */
export interface KeptLease {
  readonly key: string;
  readonly limit: number;
  /** The names of the key's slots. */
  readonly resources: readonly string[] | null;
  /** All that it has, the lowest first. */
  readonly slots: readonly number[];
  readonly fence: number;
  readonly token: string;
  /** Wall clock: when it was granted. */
  readonly since: number;
  /** How long its claim waited. */
  readonly waited: number;
  /** How long it is held without being renewed. */
  readonly lease: number;
  /** From now on. */
  readonly left: number;
  /** The run that it belongs to; null: a party's. */
  readonly run: string | null;
  readonly newest: boolean;
}

/** What must be known of a claim that waits to put it back in its place. Times are in milliseconds. */
export interface KeptPlace {
  /** Grows with every claim that joins a line. */
  readonly place: number;
  readonly key: string;
  readonly limit: number;
  /** The names of the key's slots. */
  readonly resources: readonly string[] | null;
  readonly weight: number;
  readonly priority: number;
  readonly passed: number;
  readonly ready: boolean;
  readonly lease: number;
  /** Wall clock: when it joined the line. */
  readonly since: number;
  /** Wall clock: when its client first asked. */
  readonly asked: number;
  /** How long its client has to come back, from now on. */
  readonly left: number;
  readonly run: string | null;
  readonly newest: boolean;
}
