import type { LockError } from "../../../lock/errors.ts";
import type { StoreOptions } from "../../options.ts";
import type { CallOptions } from "../register.ts";
import type { GitAddress } from "./address.ts";
import { type Question } from "./transport.ts";
/** What the environment and tests may set apart from the store's options. */
export interface GitSettings {
    readonly env?: Readonly<Record<string, string | undefined>>;
    /** Milliseconds until an answer must be complete. */
    readonly patience?: number;
}
/** A push is answered in some hundred bytes, a commit in as many as its document has. */
export declare const ANSWER_BYTES_LIMIT: number;
/** Of a list of refs, which is as long as the store has keys: about a hundred thousand. */
export declare const LIST_BYTES_LIMIT: number;
/** An answer of git's, and whether an earlier try of the same request may have been carried out. */
export interface Answer {
    readonly bytes: Buffer;
    readonly isSecond: boolean;
}
/** A git server over smart HTTP: waits where it asks for patience, and knows what its refusals mean. */
export declare class GitServer {
    #private;
    readonly address: GitAddress;
    constructor(address: GitAddress, options: StoreOptions, settings: GitSettings);
    /** A read: it may be sent again, and whatever fails is a LockError. */
    read(question: Question, { onTrouble, signal }?: CallOptions): Promise<Buffer>;
    /** A write: throws AnswerLost where it may have been carried out, and a LockError where it was not. */
    write(question: Question, { onTrouble, signal }?: CallOptions): Promise<Answer>;
    /** What an answer means that is not what git's protocol says. */
    misunderstood(error: unknown): LockError;
    /** The push was understood and refused. */
    pushRefused(reason: string, words: string): LockError;
    close(): Promise<void>;
}
