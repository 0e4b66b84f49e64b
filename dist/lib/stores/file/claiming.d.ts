import type { ClaimOptions, ClaimRequest } from "../../lock/store.ts";
import { type CheckedRequest } from "../request.ts";
export { takeTurn } from "./turn.ts";
/** Checks all of a claim before anything is written. */
export declare function checkClaim(request: ClaimRequest, options: ClaimOptions): CheckedRequest;
