import type { Estimate } from "../lock/history.ts";
import type { Holder, Progress } from "../lock/store.ts";
/** `1st`, `2nd`, `11th`. */
export declare function ordinal(place: number): string;
/** How long ago, for people; the clocks of two machines may differ, so never below zero. */
export declare function ago(iso: string | null, now: number): string | null;
export declare function runUrlOf(holder: Pick<Holder, "metadata">): string | null;
/**
 * How people know a holder or a waiter: `Release of acme/shop, started by ann (ci-github-456-1-deploy)`.
 * Where it is not known which workflow it is, by its owner id alone.
 */
export declare function nameOf({ owner, metadata }: Pick<Holder, "owner" | "metadata">): string;
/** One holder in a line: `ci-github-456-1-deploy for 4m 10s, usually 6m, "v1.2.3"`, and its address. */
export declare function holderInLine(holder: Holder, now: number, usual?: string | null): string;
/** Several holders in a line, each with its address. */
export declare function holdersInLine(holders: readonly Holder[], now: number, estimate?: Estimate | null): string;
export declare function usualOf(estimate: Estimate | null): string | null;
/**
 * `in about 8 to 12 min`, and why it may take longer. Of a holder that is far over its usual time no
 * turn is promised: `not foreseeable: held 4 times its usual time; it may be stuck`.
 */
export declare function turnIn(estimate: Estimate, holders?: readonly Pick<Holder, "since">[], now?: number): string;
export declare function rangeOf({ lower, upper }: Estimate): string;
/**
 * A range in seconds for people, rounded outwards: `in about 8 to 12 min`. Each end is rounded by
 * itself alone, so that a claim further back is never told an earlier turn than one before it.
 */
export declare function formatRange(lower: number, upper: number): string;
/** What a waiting claim knows about itself. */
export interface Self {
    /** Milliseconds that it has waited. */
    readonly waited: number;
    /** Milliseconds that it is ready to wait; null: without limit. */
    readonly limit: number | null;
    /** Milliseconds since when it has been told of trouble. */
    readonly troubled: number;
    /** The command that tells more. */
    readonly look: string;
}
/**
 * How a waiting claim stands: `waiting for production: 2nd in line; your turn in about 8 to 12 min;
 * held by … for 4m 10s, usually 6m; waited 2m of 30m (https://…)`. What matters most comes first, and
 * addresses last: a terminal cuts the end off.
 */
export declare function waitingInLine(key: string, progress: Progress, now: number, self?: Self | null): string;
/** Whether every holder is so far over its usual time that no turn can be told. */
export declare function isStuck({ holders, estimate }: Pick<Progress, "holders" | "estimate">, now: number): boolean;
/** What must differ for a new line to be worth a reader's time: not the seconds that pass. */
export declare function pictureOf(progress: Progress): string;
