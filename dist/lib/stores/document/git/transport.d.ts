import type { LockError } from "../../../lock/errors.ts";
import type { StoreOptions } from "../../options.ts";
import type { GitAddress } from "./address.ts";
import type { Credentials } from "./credentials.ts";
export type Service = "git-upload-pack" | "git-receive-pack";
/** A question to the server. */
export interface Question {
    readonly service: Service;
    readonly body: Buffer;
    /** Bytes that the answer may have. */
    readonly limit: number;
    readonly signal?: AbortSignal | undefined;
}
/** What the server said, whatever its status. */
export interface Reply {
    readonly status: number;
    readonly type: string;
    readonly bytes: Buffer;
    /** Milliseconds that the server asks for before the next try; null: it does not say. */
    readonly retryAfter: number | null;
    readonly location: string | null;
}
/**
 * The request was sent, and no whole answer came back: nobody knows whether it was carried out.
 * `why` is the sentence for the case that it does not matter.
 */
export declare class AnswerLost extends Error {
    readonly why: LockError;
    /** It was sent on a kept connection that gave no sign any more: a read is simply sent again. */
    readonly isStale: boolean;
    constructor(why: LockError, isStale?: boolean);
}
/** A push through all hooks of a busy forge takes a few seconds; whoever needs longer is stuck. */
export declare const ANSWER_MS = 15000;
/** Connections to one git server, kept between requests. */
export declare class Transport {
    #private;
    constructor(address: GitAddress, credentials: Credentials, options: StoreOptions, patience?: number);
    /**
     * One POST to `path`. Throws a LockError where nothing was sent, AnswerLost where something was,
     * and the signal's reason where it fired.
     */
    post(path: string, question: Question): Promise<Reply>;
    close(): Promise<void>;
}
