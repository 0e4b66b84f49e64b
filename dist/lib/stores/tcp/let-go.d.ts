import type { ReleaseOutcome } from "../../lock/store.ts";
import { type Request } from "../../wire/request.ts";
import type { Connection } from "./connection.ts";
import type { Held } from "./holding.ts";
export declare function releaseOf({ wireKey: key, slots: limit, lease }: Held): Request;
/** Lets go of a lock on the connection that holds it, or on a new one where that is broken. */
export declare function letGo(held: Held, current: Connection | null): Promise<ReleaseOutcome>;
export declare function tellRelease(connection: Connection, request: Request): Promise<ReleaseOutcome>;
