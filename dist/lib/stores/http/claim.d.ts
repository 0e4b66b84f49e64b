import type { CheckedRequest } from "../../lock/request.ts";
import type { ClaimOptions, Holding, KeyStatus } from "../../lock/store.ts";
import type { LockServer } from "./client.ts";
export interface ClaimContext {
    readonly server: LockServer;
    readonly store: string;
    readonly serverKey: string;
    /** Who holds the key; given up after so many milliseconds. */
    readonly inspect: (patience: number) => Promise<KeyStatus>;
}
/** Runs a claim from its session to the held lock, and into a new session where the first was lost. */
export declare function runClaim(request: CheckedRequest, options: ClaimOptions, context: ClaimContext): Promise<Holding>;
