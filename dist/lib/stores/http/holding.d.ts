import type { Lease, ReleaseOutcome } from "../../lock/store.ts";
import { RenewingHolding } from "../remote/holding.ts";
import type { LockServer } from "./client.ts";
import type { Session } from "./session.ts";
export interface Held {
    readonly server: LockServer;
    readonly session: Session;
    readonly serverKey: string;
    readonly lease: Lease;
    /** What the server keeps the session without hearing of it. */
    readonly leaseSeconds: number;
    /** By `performance.now`: the lease lasts at least from here. */
    readonly provenAt: number;
    /** Milliseconds that the work under the lock needs to stop. */
    readonly grace: number;
    /** By `performance.now`: where the ttl is a hard bound, its end. */
    readonly boundAt: number | null;
}
/** A held lock. The server's word decides: refreshed is held; not held, or no such session, is lost. */
export declare class HttpHolding extends RenewingHolding {
    #private;
    constructor(held: Held);
    /** Earlier questions stay open: a slow answer counts as well. */
    protected ask(): void;
    protected get nextAt(): number;
    protected askAgain(): void;
    protected tellRelease(): Promise<ReleaseOutcome>;
    protected tellReleaseOfLost(): void;
    protected leave(): void;
    /** Where the session still lives, the next in line need not wait for its end. */
    protected afterLoss(): void;
}
