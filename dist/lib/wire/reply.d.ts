/**
 * One reply line. Which of them a request can get is in the protocol; which of them are errors
 * differs between servers and their versions, so that every word that begins with `error` is one.
 */
export type Reply = {
    readonly kind: "ok";
}
/** After `l` and `w`: the lock is held. */
 | {
    readonly kind: "granted";
    readonly token: string;
    readonly lease: number;
}
/** After `e`: the lock was free, and is held. */
 | {
    readonly kind: "acquired";
    readonly token: string;
    readonly lease: number;
} | {
    readonly kind: "renewed";
    readonly lease: number;
} | {
    readonly kind: "stats";
    readonly json: string;
} | {
    readonly kind: "queued";
} | {
    readonly kind: "timeout";
} | {
    readonly kind: "error";
    readonly word: string;
}
/** No reply of this protocol: something else listens on that port. */
 | {
    readonly kind: "unknown";
    readonly line: string;
};
/** The words that our server says; the spec has no others. */
export type ErrorWord = "error" | "error_auth" | "error_max_locks" | "error_max_waiters" | "error_limit_mismatch";
export declare const OK_LINE = "ok\n";
export declare const QUEUED_LINE = "queued\n";
export declare const TIMEOUT_LINE = "timeout\n";
export declare function errorLine(word: ErrorWord): string;
/** The fields have to be these and no more: a third breaks the real clients. */
export declare function grantedLine(token: string, leaseSeconds: number): string;
export declare function acquiredLine(token: string, leaseSeconds: number): string;
/** Never 0: a real client would then renew ten times a second. */
export declare function renewedLine(leaseSeconds: number): string;
export declare function statsLine(json: string): string;
export declare function formatReply(reply: Reply): string;
/** A line without its newline, as `LineReader` gives it. */
export declare function parseReply(line: string): Reply;
