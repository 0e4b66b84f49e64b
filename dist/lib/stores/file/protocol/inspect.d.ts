import type { Holder, KeyStatus, Lease } from "../../../lock/store.ts";
import type { Place } from "../disk/place.ts";
import { type Examined } from "./examine.ts";
import type { JudgeRules } from "./judge.ts";
import { type Steps } from "./world.ts";
/** What can be seen of a key without its guard: a moment's picture, changing nothing. */
export declare function inspectSteps(place: Place, store: string, rules: JudgeRules): Steps<KeyStatus & {
    remembered: boolean;
}>;
/** Whether a lease still holds. Those who only know the fence do not know the slot. */
export declare function verifySteps(place: Place, rules: JudgeRules, lease: Pick<Lease, "fence" | "slot">): Steps<boolean>;
export declare function holderOf(lock: Examined): Holder;
