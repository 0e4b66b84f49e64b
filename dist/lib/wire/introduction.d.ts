import { type Owner } from "../lock/owner.ts";
import { type Request } from "./request.ts";
/**
 * An introduction says whose connection it is. The wire has no word for that, so it goes as a `stats`
 * request, whose two further lines every server must ignore:
 *
 *     stats
 *     holdfast/1 claim=0123456789abcdef&run_url=https://…&hostname=runner-3&process_id=4711&note=v1.2.3
 *     ci-github-456-1-deploy
 *
 * The third line is the owner's id, which always fits. The second holds what else fits, the most
 * telling first; `%`, `&`, `=` and control characters in it are percent-encoded.
 */
export interface Introduction {
    readonly owner: Owner;
    readonly note: string | null;
    /**
     * The same on every connection of one claim, and of no other. A server that ended between a grant
     * and its reply knows by it, when the claim comes back, for whom it has kept the lock.
     */
    readonly claim?: string;
}
/** Name and version of the format, so that a later one can be told from this. */
export declare const INTRODUCTION_MARK = "holdfast/1 ";
export declare function introductionRequest(introduction: Introduction): Request;
/** Reads an introduction; null where the request is a plain `stats`, or names no valid owner. */
export declare function parseIntroduction(request: Request): Introduction | null;
