import type { Vitality } from "../../../lock/reclaim.ts";
import type { ProcessMark } from "../../../machine/processes.ts";
import { type LockRecord } from "../format/record.ts";
export type StaleRule = "both" | "age";
export interface JudgeRules {
    /** Milliseconds after which a lock of an unknown process may count as stale. */
    readonly staleTimeout: number;
    /** `both`: old and its process gone (semats); `age`: old is enough (sema). */
    readonly staleRule: StaleRule;
    readonly hostname: string;
    /** Of this machine, since its start; null or absent: not known. */
    readonly boot?: string | null;
}
/** The facts about a lock at one moment. */
export interface Evidence {
    readonly now: number;
    /** By the files' clock, if the lock is a run's. */
    readonly fileNow: number;
    readonly monotonic: number;
    /** The file's modification time. */
    readonly modified: number;
    /** Whether the processes of `processesOf` live, in that order. */
    readonly alive: readonly (boolean | null)[];
    /** Since when, by this process's monotonic clock, the holder's beat and refresh are what they are. */
    readonly beatSeen: number;
    readonly refreshSeen: number;
    /** Whether the run that the lock belongs to goes on, as its forge said. */
    readonly runAlive: boolean | null;
}
export interface Verdict {
    readonly vitality: Vitality;
    /** What `status` shows: true, false, or null for not known. */
    readonly alive: boolean | null;
    /** The lock's processes that are not known to have ended: a waiter watches for their end. */
    readonly living: readonly ProcessMark[];
    /** When, by the monotonic clock, another look could give another verdict. */
    readonly reviewAt: number | null;
}
/** The processes whose life decides about a lock. */
export declare function processesOf(record: LockRecord, rules: JudgeRules): ProcessMark[];
/** The table "Who is dead?", row by row. Pure. */
export declare function judge(record: LockRecord, evidence: Evidence, rules: JudgeRules): Verdict;
/**
 * When to look again at a process elsewhere, which can be watched but not asked. A single look at the end of
 * dead-after would find a heartbeat that came in between, and begin again. With three looks the delay after the
 * last heartbeat is at most a third longer.
 */
export declare function nextLook(seen: number, deadAfter: number, monotonic: number): number;
