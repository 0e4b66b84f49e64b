import type { Progress } from "../../lock/store.ts";
import type { LockServer } from "./client.ts";
import type { Session } from "./session.ts";
import { type Picture } from "./status.ts";
export interface LookoutOptions {
    readonly server: LockServer;
    readonly serverKey: string;
    readonly onProgress: (progress: Progress) => void;
}
/**
 * Looks at the line while a claim stands in it: the claim's own request is busy waiting. It reports
 * the place, and notices a server that forgot the claim.
 */
export declare class Lookout {
    #private;
    constructor(options: LookoutOptions);
    /** The server has said that the claim stands in line. */
    get isPlaced(): boolean;
    start(session: Session): void;
    stop(): void;
    /** For one question: fires when the server has forgotten that it was asked. */
    recall(): AbortSignal;
    /** Of a server without lines: whoever waits there does not know how many others do. */
    tell({ holders }: Picture): void;
    /** Says why waiting is unusual, with what was last known. */
    report(trouble: string): void;
    /** Said once, however often it is true. */
    warn(trouble: string): void;
}
