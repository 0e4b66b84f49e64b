import type { CheckedRequest } from "../../lock/request.ts";
import type { Deadline } from "../../lock/time.ts";
import { type Introduction } from "../../wire/introduction.ts";
import type { Connection } from "./connection.ts";
import type { Lookout } from "./lookout.ts";
import type { LockServer } from "./server.ts";
export type Turn = {
    readonly kind: "granted";
    readonly connection: Connection;
    readonly token: string;
    /** By `performance.now`: the lease lasts at least from here. */
    readonly provenAt: number;
    readonly slot: number;
    /** By the server's clock; null: not told. */
    readonly since: string | null;
}
/** Only to those who do not wait. */
 | {
    readonly kind: "timeout";
}
/** The place in line is gone, without the claim's doing. */
 | {
    readonly kind: "dropped";
    readonly why: string;
};
export interface TurnOptions {
    readonly server: LockServer;
    readonly wireKey: string;
    readonly request: CheckedRequest;
    /** Its signal closes the connection, and so leaves the line. */
    readonly deadline: Deadline;
    /** Milliseconds; 0: do not wait; null: without limit. */
    readonly waitFor: number | null;
    readonly introduction: Introduction;
    readonly wantsProgress: boolean;
    readonly onQueued: () => void;
    /** Called when the claim stands in line. */
    readonly openLookout: (onForgotten: () => void) => Lookout | null;
}
/** One time in line, on a connection of its own: from the introduction to the grant. */
export declare function takeTurn(options: TurnOptions): Promise<Turn>;
/**
 * The server counts one time only: how long it hears nothing until it gives the lock to the next.
 * That is the lease, or the ttl where it is shorter, since the lock must not outlive its last
 * refresh by more. A longer ttl needs nothing from the server: the renewals go on as long as the
 * holder lives, or, where the ttl is a hard bound, until its end.
 */
export declare function leaseSecondsOf({ deadAfter, ttl }: CheckedRequest): number;
