import { LockError } from "../../lock/errors.ts";
import type { CheckedRequest } from "../../lock/request.ts";
import { type LockServer } from "./client.ts";
import type { Lookout } from "./lookout.ts";
import type { Session } from "./session.ts";
export type Turn = {
    readonly kind: "granted";
    readonly session: Session;
    /** By `performance.now`: the lease lasts at least from here. */
    readonly provenAt: number;
    readonly fence: number | null;
    readonly slot: number;
    /** By the server's clock. */
    readonly since: string;
}
/** Only to those who do not wait. */
 | {
    readonly kind: "timeout";
}
/** The server no longer knows the session, and with it the place in line. */
 | {
    readonly kind: "dropped";
    readonly error: LockError;
};
export interface LineOptions {
    readonly server: LockServer;
    readonly session: Session;
    readonly serverKey: string;
    readonly request: CheckedRequest;
    readonly leaseSeconds: number;
    /** Leaves the line; the session is for the caller to end. */
    readonly signal: AbortSignal;
    readonly waits: boolean;
    /** By `performance.now`: when the claim gives up; null: never. */
    readonly endsAt: number | null;
    readonly lookout: Lookout | null;
    /** The claim has stood in line before, in another session. */
    readonly wasPlaced: boolean;
    /** The server has said that it stands in line. */
    readonly onPlaced: () => void;
    readonly traces: Traces;
}
/** What a claim leaves at a server. */
export interface Traces {
    session: Session | null;
    /** The server may have granted it the lock, without an answer that came here. */
    mayHold: boolean;
}
/** One session's time in line: it asks again and again, until it is granted or sent away for good. */
export declare function standInLine(options: LineOptions): Promise<Turn>;
