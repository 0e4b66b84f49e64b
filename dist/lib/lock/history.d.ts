import type { Metadata } from "./owner.ts";
/** How a hold ended. `dead`: its holder was found gone; `expired`: its ttl or lease ran out. */
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
    /** Every slot that it had, where those were more than one. */
    readonly slots?: readonly number[];
    /** The names of what it had, where its key's slots had names. */
    readonly resources?: readonly string[];
    readonly end: HoldEnd;
    readonly metadata: Metadata;
    /** Why it was broken, and who broke it, where that was said. */
    readonly reason?: string;
    readonly by?: string;
}
/**
 * Only a hold that was released tells how long the work takes. One that was broken or whose holder
 * died lasted until somebody noticed, which may have been the next morning.
 */
export declare function completed(holds: readonly Hold[]): Hold[];
export interface Statistics {
    /** How many holds the figures are from. */
    readonly holds: number;
    /** Milliseconds. */
    readonly median: number;
    readonly ninety: number;
}
/** Null where no hold was released. */
export declare function statisticsOf(holds: readonly Hold[]): Statistics | null;
/** Between two values where none stands exactly there. */
export declare function quantile(values: readonly number[], part: number): number;
export declare function sortedQuantile(sorted: ArrayLike<number>, part: number): number;
/** When it is a claim's turn. Times in seconds; a range, since nobody knows the point. */
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
    /** A holder is over its usual time: it has lasted longer than nine of ten did. */
    readonly overdue: boolean;
}
/** As many holds as are looked back at: older ones say little about today. */
export declare const HISTORY_LIMIT = 50;
/** `key`: another one than was meant at first, where several are claimed together. */
export type ReadHistory = (key?: string) => Promise<readonly Hold[]>;
/** How a store's history of a key is read; null where the store remembers nothing. */
export declare function historyOf(store: {
    history?(key: string, options: {
        limit: number;
    }): Promise<Hold[]>;
}, key: string, limit?: number): ReadHistory | null;
/** Lenient, for what a server or a saved file says: null where it is no hold. */
export declare function readHold(value: unknown): Hold | null;
/** How a broken lock is told to its holder; null where it is not known that it was broken. */
export declare function brokenWords({ reason, by }: {
    reason?: unknown;
    by?: unknown;
}): string | null;
/** `limit`: how many were asked for; a server may say more. */
export declare function readHolds(value: unknown, limit?: number): Hold[];
/** Whether it is a time that something may have taken, in milliseconds. */
export declare function isSpan(value: unknown): value is number;
export {};
