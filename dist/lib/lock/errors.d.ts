/**
 * Every failure that a user can meet has a code for scripts and a sentence for people. The codes
 * are listed in docs/errors.md; a test keeps that page and this list the same.
 */
export declare const ERROR_CODES: readonly ["BAD_KEY", "BAD_STORE", "BAD_DURATION", "BAD_SLOTS", "BAD_TTL", "BAD_DEAD_AFTER", "BAD_OWNER", "BAD_NOTE", "BAD_METADATA", "BAD_PURPOSE", "BAD_ENVIRONMENT", "BAD_RECLAIM", "BAD_FORMAT", "BAD_OPTION", "BAD_COMMAND", "BAD_REASON", "BAD_LINE", "BAD_WEIGHT", "BAD_PRIORITY", "BAD_RESOURCES", "BAD_RUN", "BAD_LOCK_FILE", "BAD_LEASE_FILE", "SLOTS_MISMATCH", "TIMEOUT", "SUPERSEDED", "ABORTED", "LOCK_LOST", "STORE_UNREACHABLE", "STORE_UNSAFE", "STORE_NO_LOCKS", "STORE_FULL", "STORE_DENIED", "HOSTED_RUNNER", "STORE_REFUSED", "GUARD_BUSY", "LEASE_DIRECTORY", "KEEPER_GONE", "ALREADY_HELD", "NOT_SUPPORTED", "COMMAND_NOT_FOUND", "COMMAND_NOT_RUNNABLE", "NODE_TOO_OLD", "INTERNAL"];
export type ErrorCode = (typeof ERROR_CODES)[number];
export declare class LockError extends Error {
    readonly code: ErrorCode;
    constructor(code: ErrorCode, message: string, options?: {
        cause?: unknown;
    });
}
/** A claim that still waited when a newer one with `line: newest` came. */
export declare class SupersededError extends LockError {
    /** The newer claim's owner, and the page of its run where there is one. */
    readonly by: string;
    readonly url: string | null;
    constructor(message: string, { by, url }: {
        by: string;
        url: string | null;
    });
}
/** Says it in the same words for every store. `url`: the page of the newer claim's run. */
export declare function superseded(key: string, by: string, url: string | null): SupersededError;
/** True for the codes that mean: what the caller typed is not acceptable. */
export declare function isBadInput(error: LockError): boolean;
export declare function isLockError(error: unknown, code?: ErrorCode): error is LockError;
/** The sentence of any thrown value, for logs and for wrapping. */
export declare function messageOf(error: unknown): string;
/** The system's code of a failed call (`ENOENT`), where there is one. */
export declare function systemCode(error: unknown): string | undefined;
