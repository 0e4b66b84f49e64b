import type { Lease } from "../../../lock/store.ts";
import type { ProcessMark } from "../../../machine/processes.ts";
import { type Place } from "../disk/place.ts";
import type { Grant } from "./claim.ts";
import { type Steps } from "./world.ts";
/**
 * What another process took in this one's name, as if it had been granted here. Null where that lock
 * is no longer there. No guard is needed: as long as this process lives, only a break or a foreign
 * tool takes its lock away, and a holder notices both.
 */
export declare function adoptSteps(place: Place, lease: Pick<Lease, "fence" | "slot">, self: ProcessMark): Steps<Grant | null>;
