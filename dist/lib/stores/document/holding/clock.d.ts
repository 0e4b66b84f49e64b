import type { HolderEntry } from "../document.ts";
import type { Timing } from "../timing.ts";
/** Three signs of life, and looks for a break, in the time after which silence is death. */
export declare const BEATS_PER_LIFE = 3;
export interface ClockOptions {
    readonly timing: Pick<Timing, "heartbeat">;
    /** Keeps the hold's beacon lit; null where it has none. */
    readonly keepalive: {
        readonly litAt: number;
    } | null;
    /** False: the ttl is a hard bound. */
    readonly refresh: boolean;
}
/**
 * When a hold has to be renewed, and when it must be given up. All times are this process's own, by
 * `performance.now`, and count from before the renewal was sent: so here they are over before they
 * are over for those who watch.
 */
export declare class HoldingClock {
    #private;
    constructor(holder: HolderEntry, grantedAt: number, options: ClockOptions);
    renewed(sentAt: number, refreshed: boolean): void;
    /** When it last showed that it lives. Null: the forge is asked, not this process. */
    get aliveAt(): number | null;
    get giveUpAt(): number;
    /** A little before the others count the ttl as over: they must not be the first to know. */
    get expiresAt(): number;
    get renewAt(): number;
    get retryPause(): number;
}
