import type { ReleaseOutcome } from "../../lock/store.ts";
import type { LockServer } from "./client.ts";
import type { Session } from "./session.ts";
interface Lock {
    readonly server: LockServer;
    readonly session: Session;
    readonly serverKey: string;
}
/** Lets go of a lock and then of its session, which some servers do not take as the same. */
export declare function letGo(lock: Lock): Promise<ReleaseOutcome>;
export {};
