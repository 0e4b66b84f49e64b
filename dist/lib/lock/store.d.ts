import type { Estimate, Hold } from "./history.ts";
import type { Owner } from "./owner.ts";
import type { ReclaimReason } from "./reclaim.ts";
import type { Freeze, Holder, KeyStatus, SlotFreeze, Waiter } from "./status.ts";
import type { Readiness } from "./time.ts";
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
    /** The shortest `deadAfter` in milliseconds that the store can keep: less is raised to it. */
    readonly leastDeadAfter?: number;
    /**
     * Joins the line for a key and resolves when it is this claim's turn.
     * Throws TIMEOUT when `timeout` runs out, ABORTED when the signal fires; in both cases the claim
     * has left the line when the promise settles. Bad requests throw before anything is written.
     */
    claim(request: ClaimRequest, options?: ClaimOptions): Promise<Holding>;
    /**
     * Joins the line for a key and resolves as soon as the claim stands in it. The claim keeps its place,
     * and ready claims pass it, until it takes the lock or leaves the line. Only stores that can do this
     * have it.
     */
    join?(request: ClaimRequest, options?: JoinOptions): Promise<LinePlace>;
    /**
     * Claims as `claim` does, in the name of another process of this machine. That process lives already
     * and then has to `adopt` the lease. Until it does, the lock is held for as long as it lives, and
     * nobody notices a loss. Only stores that know a holder by its process have this; a server knows a
     * holder by its connection.
     */
    claimFor?(pid: number, request: ClaimRequest, options?: ClaimOptions): Promise<Lease>;
    /**
     * Goes on holding a lock that was claimed for this process. Throws LOCK_LOST if that lock is gone.
     * Stores with `claimFor` have it. `refresh`: as in the request.
     */
    adopt?(lease: Lease, options?: Pick<ClaimRequest, "refresh">): Promise<Holding>;
    /**
     * The key that a text names in this store. Checks the text, without a request. The key differs from
     * the text only in a store that is one lock file: there the text may be empty or the file's whole name.
     */
    keyOf(text: string): string;
    /** Who holds a key and who waits. Changes nothing, needs no lock, may be a moment old. */
    inspect(key: string): Promise<KeyStatus>;
    /** Every key that is held, waited for or frozen; with `all`, also free ones that the store remembers. */
    list(options?: {
        all?: boolean;
    }): Promise<KeyStatus[]>;
    /**
     * Resolves when the keys may have changed since the last `list`: as soon as the store hears of it, and
     * after `pause` milliseconds at the latest. It may resolve too early, without a change. Rejects if the
     * signal fires, or if the store cannot tell. Only stores that are woken have it.
     */
    changed?(options: {
        readonly pause: number;
        readonly signal: AbortSignal;
    }): Promise<void>;
    /**
     * Takes the key from its holder or holders, dead or alive, and records the reason. Nothing else
     * overrides the check of the token. A free key is success: `broken` is then empty.
     */
    break(key: string, options: BreakOptions): Promise<BreakResult>;
    /**
     * Whether the lease still holds its key. Asks the store, not the process that holds. A store
     * without fences needs the token as well, and throws NOT_SUPPORTED where it is missing.
     */
    verify(lease: Pick<Lease, "key" | "fence" | "slot"> & Partial<Pick<Lease, "token" | "ttl">>): Promise<boolean>;
    /**
     * Releases a lease by its token, from a process that is not its holder, for instance when the
     * keeper no longer answers. If another claim has the lock by now, nothing happens: "already-gone".
     */
    release(lease: Lease): Promise<ReleaseOutcome>;
    /**
     * Freezes a key, or one of its slots: from now on nobody gets it, and its holders go on to their end.
     * A second freeze replaces the first. Only stores that can freeze have it. A store that learns only
     * from its server that it cannot throws NOT_SUPPORTED.
     */
    freeze?(key: string, options: FreezeOptions): Promise<Freeze>;
    /**
     * Ends a freeze and returns it; null if there was none. Without a slot it ends all freezes of the
     * key, and returns the freeze of the whole key first. Stores with `freeze` have it.
     */
    thaw?(key: string, options: ThawOptions): Promise<Freeze | null>;
    /**
     * Releases what a run holds (`ClaimRequest.run`), whichever of its jobs claimed it. What
     * another run or a single job holds stays held, and its owner is named. Only stores that know runs
     * have it.
     */
    releaseRun?(key: string, run: Pick<Run, "id">): Promise<RunRelease>;
    /**
     * The latest holds of a key that are over, newest first. Only stores that remember holds have it. A
     * store that learns only from its server that it cannot throws NOT_SUPPORTED.
     */
    history?(key: string, options: {
        limit: number;
    }): Promise<Hold[]>;
    /** Removes what dead processes left behind. Only stores in which something can be left have it. */
    clean?(options: CleanOptions): Promise<CleanResult>;
    /**
     * Throws an error if this user may not claim here, and leaves nothing behind. Only stores that can
     * find that out without a claim have it.
     */
    readonly mayWrite?: () => Promise<void>;
    /** Frees connections and handles. Release the holdings before: others stay held. */
    close(): Promise<void>;
}
/** Proof of holding. Plain JSON: it goes into lease files and over sockets as it is. */
export interface Lease {
    readonly key: string;
    readonly store: string;
    readonly owner: string;
    /** Null where the store gives none. */
    readonly fence: number | null;
    /** The first of `slots`. */
    readonly slot: number;
    /** Every slot that is held: as many as the claim's weight. */
    readonly slots: readonly number[];
    /** Their names; null where the key's slots have none. */
    readonly resources: readonly string[] | null;
    /** When it was acquired, ISO 8601. */
    readonly since: string;
    /** Seconds that the lock outlives its last refresh. */
    readonly ttl: number;
    /** Milliseconds that the claim waited. */
    readonly waited: number;
    /** 128 random bits in hex. A secret: only in memory and in the lease file (0600). */
    readonly token: string;
}
/** What a store promises and what it does not; the docs show it as a table. */
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
    /** How many of the slots this claim takes; `all`: every one of them. Default 1. */
    readonly weight?: number | "all";
    /** -100 to 100, default 0. Among waiting claims a higher one is served first; see lock/admission.ts. */
    readonly priority?: number;
    /** The names of the slots; there are as many slots as names. All claims of a key must agree. */
    readonly resources?: readonly string[];
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
    /**
     * `newest`: a newer claim with `newest` ends the older ones that still wait, with SUPERSEDED. Holders
     * and `fifo` claims are never ended. Default `fifo`. A store that cannot do this throws
     * NOT_SUPPORTED.
     */
    readonly line?: Line;
    /**
     * The run that the lock belongs to. It outlives the process that claimed it, and later claims of the
     * same run share it at once, with the same fence. It ends by a release, by the end of the run where
     * the forge can be asked, or by its ttl, which is then a hard bound. A store without it throws
     * NOT_SUPPORTED.
     */
    readonly run?: Run;
}
export type Line = "fifo" | "newest";
/** One attempt of a workflow's run, to which a lock can belong. */
export interface Run {
    /** Of this run and attempt alone, such as `github.com/acme/shop/runs/456/attempts/1`. */
    readonly id: string;
    /** Where its forge can be asked whether it still goes on; null: only the ttl ends it. */
    readonly forge: ForgeRun | null;
}
/** A run of a workflow, as its forge knows it. */
export interface ForgeRun {
    /** The base of the forge's API, such as `https://api.github.com`. */
    readonly api: string;
    /** `owner/name`. */
    readonly repository: string;
    readonly run: string;
    readonly attempt: string;
}
export interface ClaimOptions {
    /** Milliseconds to wait; 0: do not wait; null or absent: without limit. With `ready`: from then on. */
    readonly timeout?: number | null;
    /** What `timeout` was before some of it was used elsewhere: the time that messages name. */
    readonly asked?: number | null;
    readonly signal?: AbortSignal;
    /**
     * Says when the claim may take the lock. Until then the claim only stands in line and keeps its
     * place, and ready claims pass it. Its `timeout` then replaces the one above. Absent: at once.
     * Callers use `join`.
     */
    readonly ready?: Readiness;
    /** Called when something changed for this claim while it waits, and now and then. Must not throw. */
    readonly onProgress?: (progress: Progress) => void;
}
export interface JoinOptions {
    /** Leaves the line when it fires, also while the place is being taken. */
    readonly signal?: AbortSignal;
    /** As in a claim, also before `take` is called. */
    readonly onProgress?: ClaimOptions["onProgress"];
}
/** A place in line that is kept without taking the lock. */
export interface LinePlace {
    readonly key: string;
    /** How the claim stood when it was last told. */
    readonly progress: Progress;
    /** Settles when the place ends before the lock is taken, with the reason: superseded, or given up. */
    readonly lost: AbortSignal;
    /**
     * Waits for the turn and takes the lock; the timeout counts from now. Call it once: afterwards the
     * place is over, even if the lock was not acquired in time.
     */
    take(options?: Pick<ClaimOptions, "timeout" | "signal" | "onProgress">): Promise<Holding>;
    /** Leaves the line. Idempotent. */
    leave(): Promise<void>;
}
/** What a waiting claim knows about its turn. */
export interface Progress {
    /** The key that the claim waits for, if several are claimed together. Stores leave it out. */
    readonly key?: string;
    /** 1 is next. */
    readonly position: number;
    readonly waiting: number;
    readonly holders: readonly Holder[];
    /** The claims that wait before this one, in order, where the store knows them. */
    readonly ahead?: readonly (Pick<Waiter, "owner" | "metadata"> & Partial<Pick<Waiter, "weight" | "ready">>)[];
    /** When this claim's turn comes, if there is an estimate. Stores leave it out; see forecast.ts. */
    readonly estimate?: Estimate | null;
    /** The freeze that is in the way, where there is one. */
    readonly frozen?: Freeze | null;
    /** Slots that are frozen by themselves, also such as are still held. */
    readonly frozenSlots?: readonly SlotFreeze[];
    /** Set where waiting has an unusual reason, such as a stopped process in the store's way. */
    readonly trouble?: string;
}
/** A lease that is held, by this process, until released or lost. */
export interface Holding {
    readonly lease: Lease;
    /** Fires once, with a LOCK_LOST error as its reason, when the lock is no longer held. Not on release. */
    readonly lost: AbortSignal;
    /**
     * After a loss by silence alone: until then, by `performance.now`, no other claim can hold the lock.
     * Null or absent: another claim may hold it already.
     */
    readonly safeUntil?: number | null;
    /** Who was in the way while this claim waited, for reports. */
    readonly reclaimed?: {
        readonly from: string;
        readonly reason: ReclaimReason;
    };
    /** Refreshes now. Throws LOCK_LOST. */
    renew(): Promise<void>;
    /** Releases the lock. Idempotent: a lock that is already gone is success, and the result says so. */
    release(): Promise<ReleaseOutcome>;
    /**
     * Keeps the lock held as long as that process lives, even if this one is killed. False if the store
     * cannot do that (a server frees the locks of a closed connection).
     */
    cover(pid: number): Promise<boolean>;
}
export type ReleaseOutcome = "released" | "already-gone";
export type RunRelease = ReleaseOutcome | {
    readonly heldBy: string;
};
/** One of a key's slots, by its number or by its name. Neither: all of them. */
export interface OneSlot {
    readonly slot?: number;
    readonly resource?: string;
}
export interface ThawOptions extends OneSlot {
    readonly owner: string;
}
export interface FreezeOptions extends OneSlot {
    readonly reason: string;
    /** Milliseconds; null: until it is thawed. */
    readonly duration: number | null;
    /** Who freezes, for the record. */
    readonly owner: string;
}
export interface BreakOptions {
    readonly reason: string;
    /** Only this slot. Default: all. */
    readonly slot?: number;
    /**
     * Removes the claims in line that are not known to live, in place of the holders. If such a claim
     * does live, it joins again, at the end.
     */
    readonly line?: boolean;
    /** Who breaks, for the record. */
    readonly owner: string;
}
export interface BreakResult {
    readonly broken: readonly Holder[];
    /** With `line`: the claims that were removed. */
    readonly line?: readonly Waiter[];
}
export interface CleanOptions {
    /** Only what dead processes left of this key. Default: of all keys. */
    readonly key?: string;
    readonly dryRun?: boolean;
    /** Milliseconds after which a lock of an unknown process counts as stale. */
    readonly staleTimeout?: number;
    /** Who cleans, for the record. */
    readonly owner: string;
    /** Called after each key, to show progress in a store with many. Must not throw. */
    readonly onProgress?: (progress: CleanProgress) => void;
}
/** How far a `clean` has come. */
export interface CleanProgress {
    /** How many keys were examined, and of how many. */
    readonly looked: number;
    readonly keys: number;
    /** What was removed so far, or would be. */
    readonly removed: number;
}
export interface CleanResult {
    readonly removed: readonly {
        readonly path: string;
        readonly why: string;
    }[];
    readonly failed: readonly {
        readonly path: string;
        readonly why: string;
    }[];
}
