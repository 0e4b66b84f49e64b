/** How many bytes a line has at most, without its newline. */
export declare const LINE_LIMIT = 256;
/**
 * How a wait without limit is sent: 23 days. The real server counts seconds in 64-bit nanoseconds, and
 * takes 9,223,372,037 s for a timeout in the past.
 */
export declare const LONGEST_WAIT_SECONDS = 2000000;
/** The words of the wire. Words with an `s` in front are the same for semaphores. */
export type Command = "auth" | "stats" | "l" | "e" | "w" | "r" | "n" | "sl" | "se" | "sw" | "sr" | "sn";
/**
 * One request. A single shape for all commands, so that the server's hot path meets one kind of
 * object; what a command does not use is empty or 0.
 */
export interface Request {
    readonly command: Command;
    /** For `stats`: the second line as it came, which carries an introduction or a question. */
    readonly key: string;
    /** For `r` and `n` the lock's token, for `auth` the secret, for `stats` the third line. */
    readonly token: string;
    /** Seconds to wait. */
    readonly timeout: number;
    /** How many may hold the key at once; 1 for locks. */
    readonly limit: number;
    /** Seconds; 0 means the server's default. */
    readonly lease: number;
}
interface Terms {
    readonly key: string;
    /** 1 makes it a lock, anything else a semaphore. */
    readonly limit?: number;
    /** Seconds; left out: the server's default. */
    readonly lease?: number;
}
export declare function authRequest(secret: string): Request;
export declare function statsRequest(key?: string, argument?: string): Request;
export declare function acquireRequest(terms: Terms & {
    readonly timeout: number;
}): Request;
export declare function enqueueRequest(terms: Terms): Request;
export declare function waitRequest(terms: Omit<Terms, "lease"> & {
    readonly timeout: number;
}): Request;
export declare function releaseRequest(terms: Omit<Terms, "lease"> & {
    readonly token: string;
}): Request;
export declare function renewRequest(terms: Terms & {
    readonly token: string;
}): Request;
/** The three lines of a request. Throws BAD_KEY or BAD_OPTION for what no server would accept. */
export declare function formatRequest(request: Request): string;
export {};
