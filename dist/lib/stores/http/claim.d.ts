import { type CheckedRequest } from "../../lock/request.ts";
import type { ClaimOptions, KeyStatus } from "../../lock/store.ts";
import { RemoteClaim, type Turn } from "../remote/claim.ts";
import { type LockServer } from "./client.ts";
import { HttpHolding } from "./holding.ts";
import { type Session } from "./session.ts";
export interface ClaimContext {
    readonly server: LockServer;
    readonly store: string;
    readonly serverKey: string;
}
interface Grant {
    readonly session: Session;
    /** By `performance.now`: the lease lasts at least from here. */
    readonly provenAt: number;
    readonly fence: number | null;
    readonly slot: number;
    /** By the server's clock. */
    readonly since: string;
}
type HttpTurn = Turn<Grant>;
/** A claim at an HTTP server. Each time in line has a session of its own, which then holds the lock. */
export declare class HttpClaim extends RemoteClaim<Grant> {
    #private;
    constructor(request: CheckedRequest, options: ClaimOptions, context: ClaimContext);
    protected get shown(): string;
    protected report(trouble: string): void;
    /** One session's time in line: it asks again and again, until it is granted or sent away for good. */
    protected stand(): Promise<HttpTurn>;
    protected hold({ session, provenAt, fence, slot, since }: Grant): HttpHolding;
    protected look(): Promise<KeyStatus>;
    /** A server that frees nothing with a session has to be told of the lock that it may have granted. */
    protected leave(): Promise<void>;
}
export {};
