import type { Metadata } from "../../../lock/owner.ts";
import type { LockFormat } from "../../../lock/request.ts";
import type { ForgeRun } from "../../../lock/store.ts";
import type { ProcessMark } from "../../../machine/processes.ts";
/** A lock file that Holdfast wrote. */
export interface OwnRecord {
    readonly kind: "holdfast";
    readonly format: LockFormat;
    readonly key: string;
    readonly owner: string;
    readonly note: string | null;
    readonly metadata: Metadata;
    readonly fence: number;
    readonly slot: number;
    readonly slots: number;
    /** Every slot of the grant, if it has several: each has a file of its own. */
    readonly together?: readonly number[];
    /** The names of the key's slots, if they have names. */
    readonly resources?: readonly string[];
    /** SHA-256 of the token: others may read the file, so it must not let them release the lock. */
    readonly digest: string;
    readonly process: ProcessMark;
    /** The command that runs under the lock. It keeps the lock held if the holder is killed. */
    readonly covered: Pick<ProcessMark, "pid" | "start"> | null;
    /** Set if the lock belongs to a run: then no process and no heartbeat keeps it held. */
    readonly run: RunHold | null;
    /** Wall-clock milliseconds of the acquisition; of a run's hold, by the files' clock. */
    readonly acquired: number;
    /** Wall-clock milliseconds of the last refresh; the ttl counts from here. */
    readonly refreshed: number;
    /** The same moment by the machine's monotonic clock, which does not jump. */
    readonly refreshedMonotonic: number;
    /** Seconds. */
    readonly ttl: number;
    /** Milliseconds of unchanged `beat` after which a watcher elsewhere calls the holder dead. */
    readonly deadAfter: number;
    /** Grows with every heartbeat. */
    readonly beat: number;
    /** Wall-clock milliseconds of the last heartbeat. */
    readonly beaten: number;
}
/** The slots of a record's grant. */
export declare function slotsOf({ slot, together }: Pick<OwnRecord, "slot" | "together">): readonly number[];
/** The run that a lock belongs to, and who shares it. */
export interface RunHold {
    readonly id: string;
    /** The forge that can be asked whether it goes on; null: only the ttl ends it. */
    readonly forge: ForgeRun | null;
    /** Digests of the tokens of later claims of the run. */
    readonly sharers: readonly string[];
}
/** When a run's hold is over at the latest, by the files' clock; null if it is no run's. */
export declare function runEndOf(record: Pick<OwnRecord, "run" | "acquired" | "ttl">): number | null;
/**
 * Milliseconds until a run's hold is over; null if it is no run's. On the machine that wrote it, since that
 * machine's start, by the monotonic clock, which nobody sets; else by the files' clock.
 */
export declare function runLeft(record: OwnRecord, here: {
    readonly boot: string | null;
    readonly monotonic: number;
    readonly fileNow: number;
}): number | null;
/** Written by a sema tool: pid, seconds, tag. */
export interface SemaRecord {
    readonly kind: "sema";
    readonly pid: number;
    readonly timestamp: number;
    readonly tag: string | null;
}
/** Written by a tool of the lock policy; `legacy`: `since` was a number. */
export interface PolicyRecord {
    readonly kind: "policy";
    readonly legacy: boolean;
    readonly owner: string;
    readonly since: number;
    readonly ttl: number;
    readonly metadata: Metadata;
}
/** Held by an unknown holder: never silently removed. */
export interface UnreadableRecord {
    readonly kind: "unreadable";
    readonly problem: string;
}
export type LockRecord = OwnRecord | SemaRecord | PolicyRecord | UnreadableRecord;
