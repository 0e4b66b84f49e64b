import type { Clock } from "../../lock/time.ts";
import type { TokenMaker } from "../../wire/token.ts";
import type { Claim, EndReason } from "./claim.ts";

/** Why a request was refused. Nothing has changed then. */
export type Refusal =
  | "max-locks"
  | "max-waiters"
  | "limit-mismatch"
  | "already-enqueued"
  | "not-enqueued"
  | "not-held"
  | "closing";

/** Watches everything, for the log and for storage. Must not throw and must not call the table. */
export interface Observer {
  /** A claim began to wait. */
  joined?(claim: Claim): void;
  granted?(claim: Claim): void;
  renewed?(claim: Claim): void;
  ended?(claim: Claim, reason: EndReason, wasHeld: boolean): void;
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
  readonly slot: number;
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
}
