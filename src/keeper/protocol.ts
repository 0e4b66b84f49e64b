import type { LockError } from "../lock/errors.ts";
import type { ClaimRequest, Progress } from "../lock/store.ts";
import type { ProcessMark } from "../machine/processes.ts";
import type { StoreOptions } from "../stores/open.ts";

/** The lock that is wanted, for whom, and with what it ends. */
export interface Wanted {
  readonly store: string;
  readonly storeOptions: StoreOptions;
  readonly request: ClaimRequest;
  /** Milliseconds; null without limit. */
  readonly timeout: number | null;
  /** Whether the store's history is read, to say when it is this claim's turn. */
  readonly history: boolean;
  /** Where the lease is to be written. */
  readonly leaseFile: string;
  /** The CI job that takes the lock, whatever its owner is called; null outside CI. */
  readonly job: string | null;
  /** The process with which the lock ends; null: only the ttl bounds it. */
  readonly watched: ProcessMark | null;
}

/** What a keeper is told to do: one JSON line on its stdin, so that no secret is in a process list. */
export interface Order extends Wanted {
  /** Who stands in line: a starter that does sends the lease, as a second line, once it has it. */
  readonly claimedBy: "starter" | "keeper";
  readonly starter: ProcessMark;
}

/** What a keeper tells its starter: JSON lines on its stdout, until the starter says that it knows. */
export type Message =
  | { readonly event: "progress"; readonly progress: Progress }
  /** It holds the lock, and the lease file is there. */
  | { readonly event: "granted" }
  | { readonly event: "failed"; readonly code: LockError["code"]; readonly message: string };

/** The starter's answer to `granted`: without it the keeper lets go again. */
export const ACKNOWLEDGED = "acknowledged";

/** A starter that goes in peace says so; behind one that does not, the keeper tidies up. */
export const DISMISSED = "dismissed";
