import type { Place } from "../disk/place.ts";
import { type Steps } from "../protocol/world.ts";
export type AuditOperation = "acquire" | "release" | "reclaim" | "break" | "loss" | "timeout" | "clean" | "migrate";
/** Who writes audit lines: the fields that the lock policy asks for in each. */
export interface Auditor {
    readonly user: string;
    readonly pid: number;
}
/** One JSON line, as the lock policy has it. */
export declare function auditLine(auditor: Auditor, now: number, operation: AuditOperation, lockPath: string, details: Record<string, unknown>): string;
export declare function record(place: Place, auditor: Auditor, operation: AuditOperation, lockPath: string, details: Record<string, unknown>): Steps<void>;
/** The operating system's word for who acts. */
export declare function userName(): string;
