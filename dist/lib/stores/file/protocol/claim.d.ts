import { type Claim } from "./line.ts";
import { type Grant } from "./take.ts";
import { type Steps } from "./world.ts";
/** Waits in line until granted; null where it was cancelled, or may not wait. The line is left then. */
export declare function claimSteps(claim: Claim): Steps<Grant | null>;
