import { LockError } from "../../lock/errors.ts";
import type { StoreOptions } from "../options.ts";
import type { Address } from "./address.ts";
import { type Answer } from "./answer.ts";
/** For requests that a server answers at once: one far away and busy needs a second or two. */
export declare const ANSWER_MS = 10000;
/** All about one key: a thousand holders, and the first of its line. */
export declare const KEY_BYTES_LIMIT: number;
/** All about all keys: 10,000 of them, each with a holder and its line. */
export declare const LIST_BYTES_LIMIT: number;
export interface Question {
    readonly method?: "GET" | "POST" | "DELETE";
    /** With its query. */
    readonly path: string;
    /** A session's id or the server's token. */
    readonly bearer: string | null;
    readonly body?: object;
    /** Milliseconds until the answer is complete. */
    readonly patience?: number;
    readonly signal?: AbortSignal;
    /** How long the answer may be. */
    readonly bytesLimit?: number;
    /** True: it does not keep this process running. */
    readonly background?: boolean;
    /** True: heard twice, it would mean something else. Else it is sent again where a kept connection broke. */
    readonly once?: boolean;
}
/** One server, as its clients know it: how to ask it, and whether connections to it broke. */
export declare class LockServer {
    #private;
    readonly address: Address;
    /** The server's token; with a server of the protocol's authors, a session's id. */
    readonly secret: string | null;
    /** Whether it has lines and fences; null: not yet known. */
    isOurs: boolean | null;
    constructor(address: Address, options: StoreOptions);
    /** Any answer, whatever its status. Throws where there is none. */
    ask(question: Question): Promise<Answer>;
    /** What an answer means that has no meaning of its own for the question. */
    refusal(answer: Answer): LockError;
    /** Called when the other side closed a connection: it may have been stopped. Returns the end of it. */
    watch(onCut: () => void): () => void;
    /** Closes idle connections. They may be dead without a sign: the next question gets a new one. */
    dropIdle(): Promise<void>;
}
