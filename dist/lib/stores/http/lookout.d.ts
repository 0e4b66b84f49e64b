import type { Progress } from "../../lock/store.ts";
import { Lookout } from "../remote/lookout.ts";
import type { Answer } from "./answer.ts";
import type { LockServer } from "./client.ts";
import type { Session } from "./session.ts";
import { type Picture } from "./status.ts";
export interface HttpLookoutOptions {
    readonly server: LockServer;
    readonly serverKey: string;
    readonly onProgress: (progress: Progress) => void;
}
/** A lookout over the line of an HTTP server, in the claim's own session. */
export declare class HttpLookout extends Lookout<Answer> {
    #private;
    constructor(options: HttpLookoutOptions);
    /** The server has said that the claim stands in line. */
    get isPlaced(): boolean;
    start(session: Session): void;
    /** For one question: fires when the server has forgotten that it was asked. */
    recall(): AbortSignal;
    /** Of a server without lines: a claim that waits there does not know how many others do. */
    tellHolders({ holders }: Picture): void;
    /** Said once, however often it is true. */
    warn(trouble: string): void;
    protected ask(): Promise<Answer>;
    protected absorb(answer: Answer): number | null;
}
