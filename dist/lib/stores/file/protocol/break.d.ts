import type { BreakOptions, Holder } from "../../../lock/store.ts";
import { type Auditor } from "../audit/entry.ts";
import type { Place } from "../disk/place.ts";
import type { JudgeRules } from "./judge.ts";
import { type Steps } from "./world.ts";
/** Breaks a key's locks, dead or alive. Under the guard; each is recorded before it is done. */
export declare function breakSteps(place: Place, rules: JudgeRules, auditor: Auditor, options: BreakOptions): Steps<Holder[]>;
