/** The audit log is rotated at this size; one older log is kept beside it. */
export declare const AUDIT_LOG_BYTES_LIMIT: number;
export declare const OLDER_LOG_SUFFIX = ".1";
/**
 * Appends a line. Failing to write history must not stop a deployment: a full disk already stops new
 * locks, and a holder has to be able to release.
 */
export declare function appendLine(path: string, line: string, mode: number | null, limit?: number): void;
/**
 * Rotates the log. Two processes may find it full at once, and the second must not move the first
 * one's new log over the old one: so the move is made under a guard, and only of the file that was
 * found full. A process that opened that file before the move writes its line to the older log.
 */
export declare function rotate(path: string, full: bigint): void;
