import type { Lease } from "../../lock/lease.ts";
import type { Holding, ReleaseOutcome } from "../../lock/store.ts";
import { type Auditor } from "./audit.ts";
import type { Grant } from "./claim.ts";
import type { Place } from "./place.ts";
import type { Processes } from "./processes.ts";
import type { RealWorld } from "./real.ts";
export interface HoldOptions {
    readonly place: Place;
    readonly auditor: Auditor;
    /** Its waits must not be cancelled by what ended the claim's. */
    readonly world: RealWorld;
    readonly processes: Processes;
    /** False: the ttl is a hard bound. */
    readonly refresh: boolean;
}
/** A held lock: beats, refreshes, notices loss, lets go. */
export declare class Hold implements Holding {
    #private;
    readonly lease: Lease;
    readonly reclaimed?: Exclude<Grant["reclaimed"], null>;
    constructor(lease: Lease, grant: Grant, options: HoldOptions);
    get lost(): AbortSignal;
    renew(): Promise<void>;
    cover(pid: number): Promise<boolean>;
    release(): Promise<ReleaseOutcome>;
}
