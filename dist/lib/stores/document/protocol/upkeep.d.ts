import type { KeyDocument } from "../document.ts";
import { type BreakRequest } from "../operations/end.ts";
import { type FreezeRequest } from "../operations/keep.ts";
import type { Timing } from "../timing.ts";
import type { Steps } from "./world.ts";
/** The document before a break; null where nobody held. */
export declare function breakSteps(key: string, request: BreakRequest): Steps<KeyDocument | null>;
export declare function freezeSteps(key: string, request: FreezeRequest): Steps<void>;
/** False where the key was not frozen. */
export declare function thawSteps(key: string): Steps<boolean>;
export type RunRelease = "released" | "already-gone" | {
    readonly heldBy: string;
};
/** Releases what a run holds. What another one holds is left alone, and named. */
export declare function releaseRunSteps(key: string, run: string): Steps<RunRelease>;
export interface CleanRequest {
    readonly by: string;
    readonly dryRun: boolean;
    /** Milliseconds without a renewal after which a holder of which nothing is known is removed. */
    readonly staleTimeout: number | null;
    readonly timing: Pick<Timing, "askAgain" | "skew">;
}
/** What was removed, one line each. */
export declare function cleanSteps(key: string, request: CleanRequest): Steps<readonly string[]>;
