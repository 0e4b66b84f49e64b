import type { Holding, Lease, ReleaseOutcome } from "../../lock/store.ts";
import type { Processes } from "../../machine/processes.ts";
import { type Auditor } from "./audit/entry.ts";
import type { Place } from "./disk/place.ts";
import type { RealWorld } from "./disk/world.ts";
import type { Grant } from "./protocol/take.ts";
export interface HoldingOptions {
    readonly place: Place;
    readonly auditor: Auditor;
    /** Its waits must not be cancelled by what ended the claim's. */
    readonly world: RealWorld;
    readonly processes: Processes;
    /** False: the ttl is a hard bound. */
    readonly refresh: boolean;
}
/** A lock file that this process holds: beats, refreshes, notices its loss, releases. */
export declare class FileHolding implements Holding {
    #private;
    readonly lease: Lease;
    readonly reclaimed?: Exclude<Grant["reclaimed"], null>;
    constructor(lease: Lease, grant: Grant, options: HoldingOptions);
    get lost(): AbortSignal;
    get safeUntil(): number | null;
    renew(): Promise<void>;
    cover(pid: number): Promise<boolean>;
    release(): Promise<ReleaseOutcome>;
}
