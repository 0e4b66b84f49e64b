import type { Holder, KeyStatus, Lease } from "../../../lock/store.ts";
import type { Place } from "../disk/place.ts";
import { type Examined } from "./examine.ts";
import type { JudgeRules } from "./judge.ts";
import { type Steps } from "./world.ts";
/** Looks at a key without its guard. The result is a moment's picture; nothing is changed. */
export declare function inspectSteps(place: Place, store: string, rules: JudgeRules): Steps<KeyStatus & {
    remembered: boolean;
}>;
/** Whether a lease still holds. All slots are looked at, since a caller may know the fence alone. */
export declare function verifySteps(place: Place, rules: JudgeRules, lease: Pick<Lease, "fence" | "slot">): Steps<boolean>;
export declare function holderOf(lock: Examined): Holder;
