import type { Holder, Progress } from "./store.ts";
/** `1st`, `2nd`, `11th`. */
export declare function ordinal(place: number): string;
/** How long ago, for people; the clocks of two machines may differ, so never below zero. */
export declare function ago(iso: string | null, now: number): string | null;
export declare function runUrlOf(holder: Pick<Holder, "metadata">): string | null;
/** One holder in a line: `ci-github-456-1-deploy for 4m 10s, "v1.2.3" (https://…)`. */
export declare function holderInLine(holder: Holder, now: number): string;
export declare function holdersInLine(holders: readonly Holder[], now: number): string;
/** How a waiting claim stands: `waiting for production: 2nd in line; held by …`. */
export declare function waitingInLine(key: string, progress: Progress, now: number): string;
/** What must differ for a new line to be worth a reader's time: not the seconds that pass. */
export declare function pictureOf(progress: Progress): string;
