import type { BreakOptions, Holder } from "../../../lock/store.ts";
import { type Auditor } from "../audit/entry.ts";
import type { Place } from "../disk/place.ts";
import type { JudgeRules } from "./judge.ts";
import { type Steps } from "./world.ts";
/** Takes a key from its holders, whoever they are. Under the guard; recorded before it is done. */
export declare function breakSteps(place: Place, rules: JudgeRules, auditor: Auditor, options: BreakOptions): Steps<Holder[]>;
