import type { Lease, ReleaseOutcome } from "../../../lock/store.ts";
import { type Auditor } from "../audit/entry.ts";
import type { Place } from "../disk/place.ts";
import type { JudgeRules } from "./judge.ts";
import { type Steps } from "./world.ts";
/** Releases a lock for whoever can show its token, holder or not. Under the guard. */
export declare function letGoSteps(place: Place, rules: JudgeRules, auditor: Auditor, lease: Lease, digest: string): Steps<ReleaseOutcome>;
