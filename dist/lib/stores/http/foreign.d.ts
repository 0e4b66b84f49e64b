import type { CheckedRequest } from "../../lock/request.ts";
import type { LockServer } from "./client.ts";
import type { HttpLookout } from "./lookout.ts";
import type { Session } from "./session.ts";
interface Granted {
    readonly server: LockServer;
    readonly session: Session;
    readonly serverKey: string;
    readonly request: CheckedRequest;
    readonly signal: AbortSignal;
    readonly lookout: HttpLookout | null;
}
/** Whether a session that was told so has the lock indeed. */
export declare function confirmOwn(granted: Granted): Promise<boolean>;
/** A session that holds the key is given it again: two claims in one session would both have it. */
export declare function refuseOwned(server: LockServer, session: Session, serverKey: string, signal: AbortSignal): Promise<void>;
export declare function refuseSlots({ address }: LockServer, { slots }: CheckedRequest): void;
export {};
