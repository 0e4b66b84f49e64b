import type { Metadata } from "./owner.ts";
import type { ReclaimReason } from "./reclaim.ts";
/** A key as `status` shows it: who holds it, who waits, and whether it is frozen. */
export interface KeyStatus {
    readonly key: string;
    readonly store: string;
    readonly slots: number;
    /** The names of the slots; null where they have none. */
    readonly resources: readonly string[] | null;
    readonly holders: readonly Holder[];
    /** How many wait. */
    readonly waiting: number;
    /** In order; empty where the store knows only how many. */
    readonly waiters: readonly Waiter[];
    /** Set if the key cannot be read: why. Then its holder is not known. */
    readonly error?: {
        readonly code: string;
        readonly message: string;
    };
    /** Null where the key is not frozen. */
    readonly frozen: Freeze | null;
    /** Slots that are frozen alone: they are not given out, the others are. */
    readonly frozenSlots: readonly SlotFreeze[];
}
/** A freeze that is over. */
export interface PastFreeze extends Freeze {
    /** ISO 8601. */
    readonly ended: string;
    /** Who thawed it, or froze the key anew; null: its time was over. */
    readonly endedBy: string | null;
    /** Left out: it was a freeze of the whole key. */
    readonly slot?: number;
}
/** A freeze of one slot. */
export interface SlotFreeze extends Freeze {
    readonly slot: number;
    /** The name of the slot when it was frozen: the freeze follows it. Left out: it had none. */
    readonly resource?: string;
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
    /** The first of `slots`. */
    readonly slot: number;
    /** How many slots it has. */
    readonly weight: number;
    readonly slots: readonly number[];
    /** Their names; null where the key's slots have none. */
    readonly resources: readonly string[] | null;
    readonly pid: number | null;
    readonly host: string | null;
    /** Null: cannot be known from here, or not yet. */
    readonly alive: boolean | null;
    /** Why the next claim may take the lock from this holder, by the default rules; null: it may not. */
    readonly reclaimable: ReclaimReason | null;
    readonly note: string | null;
    readonly metadata: Metadata;
    /** The last heartbeat or renewal, ISO 8601. */
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
    /**
     * The living command that the lock covers, where the store knows it. It keeps the lock held without
     * the holder.
     */
    readonly command?: CoveredCommand;
}
export interface CoveredCommand {
    readonly pid: number;
    /** The system's short name of the process, without its arguments, which may hold secrets. */
    readonly name: string | null;
    /** The holder's own process is gone: only the command keeps the lock held. */
    readonly alone: boolean;
    /** Set if the command is stopped. */
    readonly stopped?: boolean;
}
export interface Waiter {
    readonly owner: string;
    readonly since: string;
    /** By the order in which they are served. */
    readonly position: number;
    readonly weight: number;
    readonly priority: number;
    /** False: it keeps its place, and others pass it until it is ready. */
    readonly ready: boolean;
    readonly alive: boolean | null;
    readonly note: string | null;
    readonly metadata: Metadata;
    /** Set where its process is stopped: it loses its place if it does not take its turn in time. */
    readonly stopped?: boolean;
}
/** How many slots are held. An unknown holder counts as one. */
export declare function heldSlots({ holders }: Pick<KeyStatus, "holders">): number;
/** What the holder of one slot without a name has. */
export declare function oneSlot(slot: number): Pick<Holder, "slot" | "weight" | "slots" | "resources">;
/** How a usual claim stands in line. */
export declare const PLAIN_WAITER: Pick<Waiter, "weight" | "priority" | "ready">;
/** A key that has neither names nor frozen slots. */
export declare const PLAIN_KEY: Pick<KeyStatus, "resources" | "frozenSlots">;
/** The process of a stopped holder that has to be continued: its own, or its command's. */
export declare function stoppedProcess({ stopped, command, pid }: Holder): number | null;
