import { type Place } from "../disk/place.ts";
import type { Sightings } from "./examine.ts";
import { type Examined } from "./examine.ts";
import type { JudgeRules } from "./judge.ts";
import { type Steps } from "./world.ts";
/**
 * Removes a lock that was judged, and only that one. Under the guard no Holdfast can come between,
 * but a sema tool knows no guard: it may have replaced the file since it was read. So the file is
 * moved aside first; if it turns out to be another one than was judged, it is put back.
 * True: buried. False: it was another one, or gone.
 */
export declare function bury(place: Place, judged: Examined): Steps<boolean>;
/** Finishes a burial that a crash interrupted. Every process that enters the guard does this first. */
export declare function finishBurials(place: Place, names: readonly string[], rules: JudgeRules, sightings: Sightings): Steps<void>;
