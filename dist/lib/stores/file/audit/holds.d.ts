import type { Hold } from "../../../lock/history.ts";
import type { Place } from "../disk/place.ts";
/** The latest holds of a key that are over, newest first, out of the audit log. */
export declare function holdsOf(place: Place, limit: number, bytes?: number): Hold[];
