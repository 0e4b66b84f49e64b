import type { LockError } from "../lock/errors.ts";
import type { ClaimRequest, Progress } from "../lock/store.ts";
import type { ProcessMark } from "../stores/file/record.ts";
import type { StoreOptions } from "../stores/open.ts";

/** What a keeper is told to do: one JSON line on its stdin, so that no secret is in a process list. */
export interface Order {
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

/** What a keeper tells its starter: JSON lines on its stdout, until the starter says that it knows. */
export type Message =
  | { readonly event: "progress"; readonly progress: Progress }
  | { readonly event: "granted" }
  | { readonly event: "kept" }
  | { readonly event: "failed"; readonly code: LockError["code"]; readonly message: string };

/** The starter's answer to `granted`: without it the keeper lets go again. */
export const ACKNOWLEDGED = "acknowledged";
