import type { Metadata } from "./owner.ts";
import type { ReclaimReason } from "./reclaim.ts";
/** A key as `status` shows it: who holds it, who waits, and whether it is frozen. */
export interface KeyStatus {
    readonly key: string;
    readonly store: string;
    readonly slots: number;
    readonly holders: readonly Holder[];
    /** How many wait. */
    readonly waiting: number;
    /** In order; empty where the store knows only how many. */
    readonly waiters: readonly Waiter[];
    /** Why the key cannot be read, where that is so: then who holds it is not known. */
    readonly error?: {
        readonly code: string;
        readonly message: string;
    };
    /** Null where the key is not frozen. */
    readonly frozen: Freeze | null;
}
/** While a key is frozen, nobody gets it. */
export interface Freeze {
    readonly by: string;
    readonly reason: string;
    /** ISO 8601. */
    readonly since: string;
    /** ISO 8601; null: until it is thawed. */
    readonly until: string | null;
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
    /** Set where the lock belongs to a whole run: its id, and when the hold ends at the latest. */
    readonly run?: {
        readonly id: string;
        readonly until: string;
    };
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
