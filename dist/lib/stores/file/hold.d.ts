import type { Lease } from "../../lock/lease.ts";
import type { Holding, ReleaseOutcome } from "../../lock/store.ts";
import type { Grant } from "./claim.ts";
import type { Processes } from "./processes.ts";
import type { RealWorld } from "./real.ts";
import { type Held } from "./release.ts";
export interface HoldOptions {
    readonly world: RealWorld;
    readonly processes: Processes;
    readonly refresh: boolean;
}
/** A held lock: beats, refreshes, notices loss, lets go. */
export declare class Hold implements Holding {
    #private;
    readonly lease: Lease;
    readonly reclaimed?: Exclude<Grant["reclaimed"], null>;
    constructor(lease: Lease, held: Held, reclaimed: Grant["reclaimed"], options: HoldOptions);
    get lost(): AbortSignal;
    renew(): Promise<void>;
    cover(pid: number): Promise<boolean>;
    release(): Promise<ReleaseOutcome>;
}
