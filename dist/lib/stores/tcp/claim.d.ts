import type { CheckedRequest } from "../../lock/request.ts";
import type { ClaimOptions, Holding } from "../../lock/store.ts";
import type { LockServer } from "./server.ts";
export interface ClaimContext {
    readonly server: LockServer;
    readonly store: string;
    readonly wireKey: string;
}
/** Runs a claim from the first packet to the held lock, and back into the line where its place was lost. */
export declare function runClaim(request: CheckedRequest, options: ClaimOptions, context: ClaimContext): Promise<Holding>;
