export interface AuditEntry {
    readonly timestamp: string;
    readonly operation: string;
    readonly lockPath: string;
    readonly details: Record<string, unknown>;
    readonly user: string;
    readonly pid: number;
}
/** The latest entries of an audit log, newest first. Lines that are not entries are left out. */
export declare function recentAudit(path: string, bytes?: number): AuditEntry[];
export declare function lastAudit(path: string, lockPath: string, operations: readonly string[]): AuditEntry | undefined;
