import type { CheckedRequest } from "../../lock/request.ts";
import type { ClaimOptions, Lease } from "../../lock/store.ts";
import type { ProcessMark } from "../../machine/processes.ts";
import type { Place } from "./disk/place.ts";
import type { FileHolder } from "./holder.ts";
import type { Grant } from "./protocol/take.ts";
import type { Site } from "./site.ts";
/**
 * Stands in line for a key, from the first look to the grant: runs the claim's steps, beats its
 * ticket, reports its progress and ends it at its deadline. Throws TIMEOUT or ABORTED, once the claim
 * has left the line.
 */
export declare function waitInLine(place: Place, request: CheckedRequest, options: ClaimOptions, site: Site, files: FileHolder, holder: ProcessMark): Promise<{
    lease: Lease;
    grant: Grant;
}>;
