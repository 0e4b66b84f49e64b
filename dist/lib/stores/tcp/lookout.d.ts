import type { Progress } from "../../lock/store.ts";
import { type Stats } from "../../wire/stats.ts";
import { Lookout } from "../remote/lookout.ts";
import type { LockServer } from "./server.ts";
export interface TcpLookoutOptions {
    readonly server: LockServer;
    readonly wireKey: string;
    readonly owner: string;
    readonly onProgress: (progress: Progress) => void;
    /** The claim's place is gone, though its own connection has not noticed. */
    readonly onForgotten: () => void;
}
/** A lookout over the line of a dflockd server, on a connection of its own. */
export declare class TcpLookout extends Lookout<Stats> {
    #private;
    constructor(options: TcpLookoutOptions);
    /** `stats`: as they were on the claim's own connection right after it joined the line. */
    start(stats: Stats): void;
    stop(): void;
    protected ask(): Promise<Stats>;
    protected absorb(stats: Stats): null;
}
