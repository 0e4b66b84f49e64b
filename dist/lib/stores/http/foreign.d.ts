import type { CheckedRequest } from "../../lock/request.ts";
import type { LockServer } from "./client.ts";
import type { LineOptions } from "./line.ts";
import type { Session } from "./session.ts";
/** Whether the one who was told so has the lock indeed. */
export declare function confirmOwn(options: LineOptions): Promise<boolean>;
/** A session that holds the key is given it again: two claims in one session would both have it. */
export declare function refuseOwned(server: LockServer, session: Session, serverKey: string, signal: AbortSignal): Promise<void>;
export declare function refuseSlots({ address }: LockServer, { slots }: CheckedRequest): void;
