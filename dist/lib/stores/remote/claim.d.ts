import { type LockError } from "../../lock/errors.ts";
import type { CheckedRequest } from "../../lock/request.ts";
import type { ClaimOptions, Holding, KeyStatus, Lease } from "../../lock/store.ts";
/** A claim that lost its place joins the line again, after this. */
export declare const REJOIN_MS = 250;
/** So long it is tried: a server's restart takes seconds, its machine's a minute or two. */
export declare const REJOIN_LIMIT_MS = 120000;
/** A sentence about who is in the way is not worth a longer wait. */
export declare const EXPLAIN_MS = 1000;
/** How one time in line ended. */
export type Turn<Grant> = {
    readonly kind: "granted";
    readonly grant: Grant;
}
/** Only where the claim does not wait. */
 | {
    readonly kind: "timeout";
}
/** The place in line is gone, without the claim's doing. */
 | {
    readonly kind: "dropped";
    readonly error: LockError;
};
/**
 * A claim at a lock server, from the first packet to the held lock. A claim whose place is lost
 * (server restarted, network cut) joins the line again. How it stands in line is up to the kind of
 * server.
 */
export declare abstract class RemoteClaim<Grant> {
    #private;
    protected readonly request: CheckedRequest;
    protected readonly onProgress: ClaimOptions["onProgress"];
    /** Milliseconds; 0: do not wait; null: without limit. */
    protected readonly timeout: number | null;
    /** Fires when the claim is cancelled or its time is over: the line is to be left then. */
    protected readonly signal: AbortSignal;
    /** By `performance.now`: when the claim gives up; null: never. */
    protected readonly endsAt: number | null;
    constructor(request: CheckedRequest, options: ClaimOptions);
    /** Stands in line once, and calls `placed` when the server has said so. */
    protected abstract stand(): Promise<Turn<Grant>>;
    /** Says why waiting is unusual, with what was last known of the line. */
    protected abstract report(trouble: string): void;
    protected abstract hold(grant: Grant): Holding;
    /** Who holds the key; given up after EXPLAIN_MS. */
    protected abstract look(): Promise<KeyStatus>;
    /** The server as it stands in sentences. */
    protected abstract get shown(): string;
    /** Removes what the claim left at the server. After `hold` that is nothing. */
    protected leave(): Promise<void>;
    run(): Promise<Holding>;
    /** The server has said that the claim stands in line. */
    protected placed(): void;
    /** The claim has stood in line before, and lost its place. */
    protected get wasDropped(): boolean;
    /** The lease of a claim that was granted just now. */
    protected leaseOf(granted: Pick<Lease, "store" | "fence" | "slot" | "since" | "token">): Lease;
}
