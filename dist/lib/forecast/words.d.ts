import type { Estimate } from "../lock/history.ts";
import type { Holder, Progress } from "../lock/store.ts";
/** `1st`, `2nd`, `11th`. */
export declare function ordinal(place: number): string;
/** How long ago, for people; the clocks of two machines may differ, so never below zero. */
export declare function ago(iso: string | null, now: number): string | null;
export declare function runUrlOf(holder: Pick<Holder, "metadata">): string | null;
/** One holder in a line: `ci-github-456-1-deploy for 4m 10s, usually 6m, "v1.2.3" (https://…)`. */
export declare function holderInLine(holder: Holder, now: number, usual?: string | null): string;
export declare function holdersInLine(holders: readonly Holder[], now: number, estimate?: Estimate | null): string;
export declare function usualOf(estimate: Estimate | null): string | null;
/** `in about 8 to 12 min`, and why it may take longer. */
export declare function turnIn(estimate: Estimate): string;
export declare function rangeOf({ lower, upper }: Estimate): string;
/** A range in seconds for people, in one unit and rounded outwards: `in about 8 to 12 min`. */
export declare function formatRange(lower: number, upper: number): string;
/** How a waiting claim stands: `waiting for production: 2nd in line; held by …; your turn in …`. */
export declare function waitingInLine(key: string, progress: Progress, now: number): string;
/** What must differ for a new line to be worth a reader's time: not the seconds that pass. */
export declare function pictureOf(progress: Progress): string;
