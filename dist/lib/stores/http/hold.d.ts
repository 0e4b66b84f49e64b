import type { Lease } from "../../lock/lease.ts";
import type { Holding, ReleaseOutcome } from "../../lock/store.ts";
import type { LockServer } from "./server.ts";
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
    /** By `performance.now`: where the ttl is a hard bound, its end. */
    readonly boundAt: number | null;
}
/** A held lock. The server's word decides: refreshed is held; not held, or no such session, is lost. */
export declare class Hold implements Holding {
    #private;
    readonly lease: Lease;
    constructor(held: Held);
    get lost(): AbortSignal;
    renew(): Promise<void>;
    release(): Promise<ReleaseOutcome>;
    /** A server knows sessions, not processes. */
    cover(): Promise<boolean>;
}
