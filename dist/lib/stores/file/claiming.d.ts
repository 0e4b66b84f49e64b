import { type CheckedRequest } from "../../lock/request.ts";
import type { ClaimOptions, ClaimRequest } from "../../lock/store.ts";
export { takeTurn } from "./wait.ts";
/** Checks all of a claim before anything is written. */
export declare function checkClaim(request: ClaimRequest, options: ClaimOptions): CheckedRequest;
