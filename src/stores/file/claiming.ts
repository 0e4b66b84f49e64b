import { type CheckedRequest, checkRequest, checkTimeout } from "../../lock/request.ts";
import type { ClaimOptions, ClaimRequest } from "../../lock/store.ts";

export { takeTurn } from "./wait.ts";

/** Checks all of a claim before anything is written. */
export function checkClaim(request: ClaimRequest, options: ClaimOptions): CheckedRequest {
  const checked = checkRequest(request);
  checkTimeout(options.timeout);
  return checked;
}
