import type { Beacons } from "../register.ts";
/**
 * Keeps the beacon of one claim lit, from before it joins the line until it is over. Whether it is
 * lit decides who is promoted and who counts as dead.
 */
export declare class Keepalive {
    #private;
    constructor(beacons: Beacons, id: string, deadAfter: number, closed: AbortSignal);
    /** By `performance.now`: when the light was asked for that last succeeded. */
    get litAt(): number;
    /** Why the latest one failed. */
    get failure(): unknown;
    /** Lights it once. */
    light(signal?: AbortSignal): Promise<void>;
    /** Lights it again and again. A light that fails is tried sooner. */
    start(): void;
    /** Puts it out, for an orderly end; that it fails costs others only the time until it is out. */
    stop(): Promise<void>;
}
