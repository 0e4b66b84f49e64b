import type { Metadata } from "./owner.ts";
/** How a hold ended. `dead`: its holder was gone; `expired`: its ttl, or at a server its `dead-after`, was over. */
declare const HOLD_ENDS: readonly ["released", "expired", "dead", "broken"];
export type HoldEnd = (typeof HOLD_ENDS)[number];
/** One hold of a key that is over: what a store remembers of it. Plain JSON. */
export interface Hold {
    readonly owner: string;
    /** When it was acquired, ISO 8601. */
    readonly since: string;
    /** Milliseconds that its claim waited; null where that is not known. */
    readonly waited: number | null;
    /** Milliseconds from the grant to the end. */
    readonly held: number;
    readonly fence: number | null;
    readonly slot: number;
    /** Every slot that it had, if it had more than one. */
    readonly slots?: readonly number[];
    /** The names of its slots, if the key's slots had names. */
    readonly resources?: readonly string[];
    readonly end: HoldEnd;
    readonly metadata: Metadata;
    /** Why it was broken, and who broke it, where that is known. */
    readonly reason?: string;
    readonly by?: string;
}
/**
 * Only a hold that was released tells how long the work takes. A hold that was broken, or whose holder
 * died, lasted until somebody noticed; that may have been the next morning.
 */
export declare function completed(holds: readonly Hold[]): Hold[];
export interface Statistics {
    /** How many holds the figures are from. */
    readonly holds: number;
    /** Milliseconds. */
    readonly median: number;
    /** Nine of ten holds, or more, were no longer than this. */
    readonly ninety: number;
}
/** Null where no hold was released. */
export declare function statisticsOf(holds: readonly Hold[]): Statistics | null;
/** The shortest hold that nine of ten were no longer than. A value between two would be true of fewer. */
export declare function nineOfTen(sorted: ArrayLike<number>): number;
/** How long holds usually take; null where there are too few to tell. */
export declare function usualOf(holds: readonly Hold[]): Statistics | null;
/** Interpolates if no value is exactly at that point. */
export declare function sortedQuantile(sorted: ArrayLike<number>, part: number): number;
/** When a claim's turn comes. Times in seconds; a range, since the exact time is not known. */
export interface Estimate {
    readonly lower: number;
    readonly upper: number;
    /** In half of all cases it is sooner. */
    readonly likely: number;
    /** How long the (first) holder's kind of hold usually lasts: the median. */
    readonly usual: number;
    /** How many holds this is made of. */
    readonly holds: number;
    /** Whose holds: those of the same workflow and job, or all of the key. */
    readonly basis: "job" | "key";
    /** A holder is over its usual time: it has held longer than nine of ten holds lasted. */
    readonly overdue: boolean;
}
/** How many holds an estimate uses: older ones say little about today. */
export declare const HISTORY_LIMIT = 50;
/** `key`: which key, if several are claimed together. */
export type ReadHistory = (key?: string) => Promise<readonly Hold[]>;
/** How a store's history of a key is read; null where the store remembers nothing. */
export declare function historyOf(store: {
    history?(key: string, options: {
        limit: number;
    }): Promise<Hold[]>;
}, key: string, limit?: number): ReadHistory | null;
/** Reads a hold from a server or a saved file, leniently: null if it is no hold. */
export declare function readHold(value: unknown): Hold | null;
/** How a broken lock is told to its holder; null where it is not known that it was broken. */
export declare function brokenWords({ reason, by }: {
    reason?: unknown;
    by?: unknown;
}): string | null;
/** `limit`: how many were asked for; a server may say more. */
export declare function readHolds(value: unknown, limit?: number): Hold[];
/** Whether a value is a plausible length of time, in milliseconds. */
export declare function isSpan(value: unknown): value is number;
export {};
