import type { Hold } from "../../lock/history.ts";
import type { Holder, KeyStatus, Waiter } from "../../lock/store.ts";
import { type LeaseStats, type PartyStats, type Stats } from "../../wire/stats.ts";
/** One key as its server tells it. */
export interface KeyStats {
    readonly wireKey: string;
    readonly slots: number;
    readonly waiting: number;
    /** Empty where the server only counts. */
    readonly leases: readonly LeaseStats[];
    readonly line: readonly PartyStats[];
    /** What a foreign server knows about holders. */
    readonly nameless: readonly {
        readonly connection: number | null;
    }[];
}
/** Every key that is held or waited for. */
export declare function keysIn(stats: Stats): KeyStats[];
export declare function keyIn(stats: Stats, wireKey: string): KeyStats | null;
/** The holds of a key that are over, newest first; a free key has them too. */
export declare function pastIn(stats: Stats, wireKey: string): Hold[];
/** Free keys that the server still remembers. */
export declare function idleKeysIn(stats: Stats): string[];
/** `key`: as the user wrote it, where that is known. */
export declare function statusOf(found: KeyStats | null, store: string, key?: string): KeyStatus;
export declare function holdersOf({ leases, nameless }: KeyStats): Holder[];
export declare function waitersOf({ line }: KeyStats): Waiter[];
