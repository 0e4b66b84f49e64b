import type { CleanResult } from "../../../lock/store.ts";
import { type Auditor } from "../audit/entry.ts";
import { type Place } from "../disk/place.ts";
import type { JudgeRules } from "./judge.ts";
import { type Steps } from "./world.ts";
type Removed = CleanResult["removed"][number];
export interface CleanContext {
    readonly rules: JudgeRules;
    readonly auditor: Auditor;
    readonly dryRun: boolean;
    readonly by: string;
}
/** Whether there is anything to clean of a key, seen without its guard, which a key may not even have yet. */
export declare function needsCleaning(place: Place, slots: readonly number[], temporaries: readonly string[], context: CleanContext): Steps<boolean>;
/** Cleans one key of what dead processes left: locks, tickets, graves, temporary files. Under the guard. */
export declare function cleanSteps(place: Place, slots: readonly number[], temporaries: readonly string[], context: CleanContext): Steps<Removed[]>;
export {};
