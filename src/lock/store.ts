import type { Estimate, Hold } from "./history.ts";

import type { Metadata, Owner } from "./owner.ts";
import type { ReclaimReason } from "./reclaim.ts";

/**
 * A place where locks live. A store is opened by URL (`stores/open.ts`), is used through this
 * interface alone, and passes the suite in test/contract.
 *
 * Whatever fails is a LockError with a code; nothing else is thrown.
 */
export interface Store {
  /** As the user would write it, normalised: shown in `status` and given to later steps. */
  readonly url: string;
  readonly promises: StorePromises;

  /**
   * Joins the line for a key and resolves when it is this claim's turn.
   * Throws TIMEOUT when `timeout` runs out, ABORTED when the signal fires; in both cases the claim
   * has left the line when the promise settles. Bad requests throw before anything is written.
   */
  claim(request: ClaimRequest, options?: ClaimOptions): Promise<Holding>;

  /**
   * Claims as `claim` does, in the name of another process of this machine, which lives already and
   * then has to `adopt` the lease. Until it does, the lock is held for as long as that process lives,
   * and nobody notices a loss. Only stores that know a holder by its process have this; a server
   * knows it by its connection.
   */
  claimFor?(pid: number, request: ClaimRequest, options?: ClaimOptions): Promise<Lease>;

  /**
   * Goes on holding what was claimed for this process. Throws LOCK_LOST where that lock is no longer
   * there. Stores with `claimFor` have it. `refresh`: as in the request.
   */
  adopt?(lease: Lease, options?: Pick<ClaimRequest, "refresh">): Promise<Holding>;

  /**
   * The key that a text names here. Checks it, and asks nobody. It differs from the text only in a
   * store that is one lock file, where the text may be left out or be the file's whole name.
   */
  keyOf(text: string): string;

  /** Who holds a key and who waits. Changes nothing, needs no lock, may be a moment old. */
  inspect(key: string): Promise<KeyStatus>;

  /** Every key that is held or waited for; with `all`, also free ones that the store remembers. */
  list(options?: { all?: boolean }): Promise<KeyStatus[]>;

  /**
   * Takes the key from its holder or holders, dead or alive. The one override of the token check;
   * recorded with its reason. Nobody holding is success: `broken` is then empty.
   */
  break(key: string, options: BreakOptions): Promise<BreakResult>;

  /**
   * Whether the lease still holds its key. Asks the store, not the process that holds. A store
   * without fences needs the token as well, and throws NOT_SUPPORTED where it is missing.
   */
  verify(
    lease: Pick<Lease, "key" | "fence" | "slot"> & Partial<Pick<Lease, "token" | "ttl">>,
  ): Promise<boolean>;

  /**
   * Releases a lease by its token, from a process that is not its holder, for instance when the
   * keeper no longer answers. A lock that is another's by now is left alone: "already-gone".
   */
  release(lease: Lease): Promise<ReleaseOutcome>;

  /**
   * The latest holds of a key that are over, newest first. Only stores that remember have it; one
   * that finds out only when it asks throws NOT_SUPPORTED.
   */
  history?(key: string, options: { limit: number }): Promise<Hold[]>;

  /** Removes what the dead left behind. Only stores that leave something have it. */
  clean?(options: CleanOptions): Promise<CleanResult>;

  /** Frees connections and handles. Holdings must be released before; those that are not stay held. */
  close(): Promise<void>;
}

/** Proof of holding. Plain JSON: it goes into lease files and over sockets as it is. */
export interface Lease {
  readonly key: string;
  readonly store: string;
  readonly owner: string;
  /** Null where the store gives none. */
  readonly fence: number | null;
  readonly slot: number;
  /** When it was acquired, ISO 8601. */
  readonly since: string;
  /** Seconds that the lock outlives its last refresh. */
  readonly ttl: number;
  /** Milliseconds that the claim waited. */
  readonly waited: number;
  /** 128 random bits in hex. A secret: only in memory and in the lease file (0600). */
  readonly token: string;
}

/** What a store can promise; what it cannot, it declares here, and the docs show this table. */
export interface StorePromises {
  /** Claims are served in order of arrival. */
  readonly fair: boolean;
  /** Leases carry a number that only grows. */
  readonly fenced: boolean;
  /** Waiters are woken by an event, not by polling. */
  readonly push: boolean;
  /** Who is excluded: processes of one machine, of all machines that mount the filesystem, or of the network. */
  readonly scope: "machine" | "filesystem" | "network";
}

export interface ClaimRequest {
  readonly key: string;
  readonly owner: Owner;
  /** How many may hold the key at once. All claims of a key must agree. Default 1. */
  readonly slots?: number;
  /** Milliseconds that the lock outlives its last refresh. Default: by environment and purpose. */
  readonly ttl?: number;
  /** Milliseconds of silence after which a holder that cannot be asked counts as dead. Default 30 s. */
  readonly deadAfter?: number;
  /** Milliseconds that the holder's work needs to stop once the lock is lost. Default 0. A store gives
   * up a silent lock that much earlier, as far as its lease allows. */
  readonly grace?: number;
  /** Shown to those who wait. */
  readonly note?: string;
  readonly reclaim?: readonly ReclaimReason[];
  /** False: the ttl is a hard bound, not refreshed while the holder lives. Default true. */
  readonly refresh?: boolean;
}

export interface ClaimOptions {
  /** Milliseconds to wait; 0: do not wait; null or absent: without limit. */
  readonly timeout?: number | null;
  readonly signal?: AbortSignal;
  /** Called when something changed for this claim while it waits, and now and then. Must not throw. */
  readonly onProgress?: (progress: Progress) => void;
}

/** What a waiting claim knows about its turn. */
export interface Progress {
  /** 1 is next. */
  readonly position: number;
  readonly waiting: number;
  readonly holders: readonly Holder[];
  /** Who waits before this claim, in order, where the store knows. */
  readonly ahead?: readonly Pick<Waiter, "owner" | "metadata">[];
  /** When it is this claim's turn, where that can be said. Stores leave it out; see forecast.ts. */
  readonly estimate?: Estimate | null;
  /** Set where waiting has an unusual reason, such as a stopped process in the store's way. */
  readonly trouble?: string;
}

/** A lease that is held, by this process, until released or lost. */
export interface Holding {
  readonly lease: Lease;
  /** Fires once, with a LOCK_LOST error as its reason, when the lock is no longer held. Not on release. */
  readonly lost: AbortSignal;
  /**
   * After a loss, by `performance.now`: until then nobody else can hold the lock, since nothing but
   * silence has ended it. Null or absent: somebody may hold it already.
   */
  readonly safeUntil?: number | null;
  /** Who was in the way while this claim waited, for reports. */
  readonly reclaimed?: { readonly from: string; readonly reason: ReclaimReason };
  /** Refreshes now. Throws LOCK_LOST. */
  renew(): Promise<void>;
  /** Releases the lock. Idempotent; what is already gone is success, and says so. */
  release(): Promise<ReleaseOutcome>;
  /**
   * Keeps the lock held as long as that process lives, even if this one is killed. False where the
   * store cannot do that (a server frees what a closed connection held).
   */
  cover(pid: number): Promise<boolean>;
}

export type ReleaseOutcome = "released" | "already-gone";

export interface KeyStatus {
  readonly key: string;
  readonly store: string;
  readonly slots: number;
  readonly holders: readonly Holder[];
  /** How many wait. */
  readonly waiting: number;
  /** In order; empty where the store knows only how many. */
  readonly waiters: readonly Waiter[];
}

export interface Holder {
  readonly owner: string;
  /** When it was acquired, ISO 8601; null where the holder is not known. */
  readonly since: string | null;
  /** Seconds; null where the lock has none. */
  readonly ttl: number | null;
  readonly fence: number | null;
  readonly slot: number;
  readonly pid: number | null;
  readonly host: string | null;
  /** Null: cannot be known from here, or not yet. */
  readonly alive: boolean | null;
  /** Why the next claim may take the lock from this holder, by the default rules; null: it may not. */
  readonly reclaimable: ReclaimReason | null;
  readonly note: string | null;
  readonly metadata: Metadata;
  /** Last sign of life, ISO 8601. */
  readonly heartbeat: string | null;
  /** Set where the lock cannot be read, with the reason. */
  readonly problem?: string;
  /** Set where a process of this holder is stopped (SIGSTOP, Ctrl-Z): it exists, and does nothing. */
  readonly stopped?: boolean;
  /** The living command that the lock covers, where the store knows it. It keeps the lock held by itself. */
  readonly command?: CoveredCommand;
}

export interface CoveredCommand {
  readonly pid: number;
  /** The system's short name of the process, without its arguments, which may hold secrets. */
  readonly name: string | null;
  /** The holder's own process is gone: only the command keeps the lock held. */
  readonly alone: boolean;
  /** Set where it is the command that is stopped. */
  readonly stopped?: boolean;
}

export interface Waiter {
  readonly owner: string;
  readonly since: string;
  readonly position: number;
  readonly alive: boolean | null;
  readonly note: string | null;
  readonly metadata: Metadata;
  /** Set where its process is stopped: it loses its place if it does not take its turn in time. */
  readonly stopped?: boolean;
}

export interface BreakOptions {
  readonly reason: string;
  /** Only this slot. Default: all. */
  readonly slot?: number;
  /** Who breaks, for the record. */
  readonly owner: string;
}

export interface BreakResult {
  readonly broken: readonly Holder[];
}

export interface CleanOptions {
  /** Only what was left of this key. Default: of all. */
  readonly key?: string;
  readonly dryRun?: boolean;
  /** Milliseconds after which a lock of an unknown process counts as stale. */
  readonly staleTimeout?: number;
  /** Who cleans, for the record. */
  readonly owner: string;
}

export interface CleanResult {
  readonly removed: readonly { readonly path: string; readonly why: string }[];
  readonly failed: readonly { readonly path: string; readonly why: string }[];
}
