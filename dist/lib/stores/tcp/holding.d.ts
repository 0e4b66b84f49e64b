import type { Lease, ReleaseOutcome } from "../../lock/store.ts";
import { type Introduction } from "../../wire/introduction.ts";
import { type Request } from "../../wire/request.ts";
import { RenewingHolding } from "../remote/holding.ts";
import type { Connection } from "./connection.ts";
import type { LockServer } from "./server.ts";
export interface Held {
    readonly server: LockServer;
    readonly connection: Connection;
    readonly introduction: Introduction;
    readonly lease: Lease;
    readonly wireKey: string;
    readonly slots: number;
    /** What the server counts, renewed by each renewal. */
    readonly leaseSeconds: number;
    /** By `performance.now`: the lease lasts at least from here. */
    readonly provenAt: number;
    /** Milliseconds that the work under the lock needs to stop. */
    readonly grace: number;
    /** By `performance.now`: where the ttl is a hard bound, its end. */
    readonly boundAt: number | null;
}
/**
 * A held lock. It is renewed on the connection that got it; when that one breaks or falls silent,
 * at once on a new one, by its token. The server's word decides: renewed is held, `error` is lost.
 */
export declare class TcpHolding extends RenewingHolding {
    #private;
    constructor(held: Held);
    protected ask(): void;
    /** While there is no connection, or a doubtful one, the attempts go on by themselves. */
    protected get nextAt(): number;
    protected askAgain(): void;
    /** On the connection that holds the lock, or on a new one where that is broken. */
    protected tellRelease(): Promise<ReleaseOutcome>;
    protected tellReleaseOfLost(): void;
    /**
     * What is not free yet is closed only when the lease is over: a server that still hears us would
     * let the next one in while our command is being stopped.
     */
    protected leave(isFree: boolean): void;
}
export declare function askRelease(connection: Connection, request: Request): Promise<ReleaseOutcome>;
