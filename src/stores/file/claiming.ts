import type { ClaimOptions, ClaimRequest } from "../../lock/store.ts";
import { type CheckedRequest, checkRequest, checkTimeout } from "../request.ts";

export { takeTurn } from "./turn.ts";

/** Checks all of a claim before anything is written. */
export function checkClaim(request: ClaimRequest, options: ClaimOptions): CheckedRequest {
  const checked = checkRequest(request);
  checkTimeout(options.timeout);
  return checked;
}
