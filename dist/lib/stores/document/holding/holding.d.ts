import type { Holding, Lease, ReleaseOutcome } from "../../../lock/store.ts";
import type { Grant } from "../protocol/claim.ts";
import type { Steps } from "../protocol/world.ts";
import type { Register } from "../register.ts";
import type { Timing } from "../timing.ts";
import type { Keepalive } from "./keepalive.ts";
export interface HoldingOptions {
    readonly register: Register;
    readonly timing: Timing;
    /** Runs steps on the register, for so many milliseconds at most where it is away. */
    readonly run: <T>(key: string, patience: number, steps: Steps<T>) => Promise<T>;
    readonly keepalive: Keepalive | null;
    /** False: the ttl is a hard bound. */
    readonly refresh: boolean;
    readonly closed: AbortSignal;
}
/** A lock that is held: it is renewed, looked at, and released. */
export declare class DocumentHolding implements Holding {
    #private;
    readonly lease: Lease;
    readonly reclaimed?: Exclude<Grant["reclaimed"], null>;
    constructor(lease: Lease, grant: Grant, grantedAt: number, options: HoldingOptions);
    get lost(): AbortSignal;
    renew(): Promise<void>;
    release(): Promise<ReleaseOutcome>;
    /** A document knows claims, not processes. */
    cover(): Promise<boolean>;
}
