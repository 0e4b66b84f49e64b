/** A line of the log, as `entry.ts` writes it; its details are as the writer left them. */
export interface AuditEntry {
    readonly timestamp: string;
    readonly operation: string;
    readonly lockPath: string;
    readonly details: Record<string, unknown>;
    readonly user: string;
    readonly pid: number;
}
/** The latest entry about a lock file with one of these operations. */
export declare function lastAudit(path: string, lockPath: string, operations: readonly string[]): AuditEntry | undefined;
/**
 * The entries of logs whose lines contain a text, the last one first; lines that are no entries are
 * left out. `bytes` bounds what is read, however long the caller goes on asking.
 */
export declare function entriesBackwards(paths: readonly string[], text: string, bytes: number): Generator<AuditEntry, void>;
