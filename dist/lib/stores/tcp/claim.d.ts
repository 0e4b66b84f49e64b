import { type CheckedRequest } from "../../lock/request.ts";
import type { ClaimOptions, KeyStatus } from "../../lock/store.ts";
import { RemoteClaim, type Turn } from "../remote/claim.ts";
import type { Connection } from "./connection.ts";
import { TcpHolding } from "./holding.ts";
import type { LockServer } from "./server.ts";
export interface ClaimContext {
    readonly server: LockServer;
    readonly store: string;
    readonly wireKey: string;
}
interface Grant {
    readonly connection: Connection;
    readonly token: string;
    /** By `performance.now`: the lease lasts at least from here. */
    readonly provenAt: number;
    readonly slot: number;
    /** By the server's clock; null: not told. */
    readonly since: string | null;
}
/** A claim at a dflockd server. Each time in line has a connection of its own, which then holds the lock. */
export declare class TcpClaim extends RemoteClaim<Grant> {
    #private;
    constructor(request: CheckedRequest, options: ClaimOptions, context: ClaimContext);
    protected get shown(): string;
    protected report(trouble: string): void;
    /** From the introduction to the grant. */
    protected stand(): Promise<Turn<Grant>>;
    protected hold({ connection, token, provenAt, slot, since }: Grant): TcpHolding;
    protected look(): Promise<KeyStatus>;
}
export {};
