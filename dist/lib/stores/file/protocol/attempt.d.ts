import type { Claim, Grant } from "./claim.ts";
import { type Steps, type Watch } from "./world.ts";
export type Attempt = {
    state: "granted";
    grant: Grant;
} | {
    state: "waiting";
    watch: Watch;
};
/** One turn under the guard: take the lock if it is this claim's turn, else stand in line. */
export declare function attempt(claim: Claim): Steps<Attempt>;
