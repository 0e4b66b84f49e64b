import type { Progress } from "../../lock/store.ts";
import { type Stats } from "../../wire/stats.ts";
import type { LockServer } from "./server.ts";
export interface LookoutOptions {
    readonly server: LockServer;
    readonly wireKey: string;
    readonly owner: string;
    readonly onProgress: (progress: Progress) => void;
    /** The claim's place is gone, though its own connection has not noticed. */
    readonly onForgotten: () => void;
}
/**
 * Looks at the line while a claim stands in it, on a connection of its own: the claim's is busy
 * waiting. It reports the place, and notices a server that forgot the claim.
 */
export declare class Lookout {
    #private;
    constructor(options: LookoutOptions);
    /** `stats`: as they were on the claim's own connection right after it joined the line. */
    start(stats: Stats): void;
    /** Says why waiting is unusual, with what was last known. */
    report(trouble: string): void;
    stop(): void;
}
