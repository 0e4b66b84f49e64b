import type { Holding, Lease, ReleaseOutcome } from "../../lock/store.ts";
import type { LeaseClock } from "./lease-clock.ts";
/** While the server is away. Short, since a server that comes back without memory lets others in. */
export declare const RETRY_MS = 100;
export interface Grant {
    readonly lease: Lease;
    readonly clock: LeaseClock;
    /** By `performance.now`: where the ttl is a hard bound, its end. */
    readonly boundAt: number | null;
    /** Why renewals fail, where nothing more was heard. */
    readonly silence: string;
}
/**
 * A lock that a server keeps while it is renewed. The server's word decides, and its silence does
 * when the lease is nearly over. How it is asked, and on what, is up to the kind of server: a class
 * that extends this calls `schedule` once it is ready to `ask`.
 */
export declare abstract class RenewingHolding implements Holding {
    #private;
    readonly lease: Lease;
    protected readonly clock: LeaseClock;
    protected trouble: string | null;
    constructor({ lease, clock, boundAt, silence }: Grant);
    /** Asks for a renewal. What the server says goes to `proven` or `lose`; all else is `trouble`. */
    protected abstract ask(): void;
    /** By `performance.now`: when to `askAgain`. */
    protected abstract get nextAt(): number;
    /** Asks because it is time to, perhaps since the last question got no answer. */
    protected abstract askAgain(): void;
    /** Tells the server that the lock is released. */
    protected abstract tellRelease(): Promise<ReleaseOutcome>;
    /** The same for a lock whose loss was told already; nobody waits for the answer. */
    protected abstract tellReleaseOfLost(): void;
    /** Nothing is asked any more. `isFree`: the server has freed the lock. */
    protected abstract leave(isFree: boolean): void;
    /** What ran under a lost lock has ended. */
    protected afterLoss(): void;
    get lost(): AbortSignal;
    get safeUntil(): number | null;
    renew(): Promise<void>;
    release(): Promise<ReleaseOutcome>;
    /** A server knows connections or sessions, not processes. */
    cover(): Promise<boolean>;
    protected get isOver(): boolean;
    /** Fires when it is over. */
    protected get over(): AbortSignal;
    /** Somebody waits for a renewal. */
    protected get isAwaited(): boolean;
    /** The server renewed for so many seconds what was asked then. */
    protected proven(sentAt: number, seconds: number): void;
    /** `isSafe`: nobody else can have the lock before its lease ends. */
    protected lose(why: string, how?: {
        isFree?: boolean;
        isSafe?: boolean;
    }): void;
    protected schedule(): void;
}
