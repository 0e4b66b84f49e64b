import type { Lease, ReleaseOutcome } from "../../../lock/store.ts";
import type { ProcessMark } from "../../../machine/processes.ts";
import { type Auditor } from "../audit/entry.ts";
import { type Place } from "../disk/place.ts";
import type { OwnRecord } from "../format/record.ts";
import type { JudgeRules } from "./judge.ts";
import type { Grant } from "./take.ts";
import { type Descriptor, type FileView, type Steps } from "./world.ts";
/** A lock that this process holds: its file, its open descriptor and what the file says. */
export interface Held {
    readonly place: Place;
    readonly path: string;
    readonly descriptor: Descriptor;
    readonly auditor: Auditor;
    readonly acquiredMonotonic: number;
    record: OwnRecord;
    /** What was last written to the file. */
    content: string;
}
/**
 * Adopts a lock that another process claimed for this one: the grant, as if it had been made here.
 * Null where that lock is no longer there. No guard is needed: as long as this process lives, only a
 * break or a foreign tool takes its lock away, and a holder notices both.
 */
export declare function adoptSteps(place: Place, lease: Pick<Lease, "fence" | "slot">, self: ProcessMark): Steps<Grant | null>;
/**
 * Whether what is under the lock's name is still this holder's. Mostly the inode tells; but a tool of
 * the lock policy takes over by writing into the file that is there, so what it says counts as well.
 * A file of ours that cannot be read is still ours.
 */
export declare function isOurs(held: Held, view: FileView | null): boolean;
/**
 * Writes a sign of life through the holder's own descriptor, so that it can never overwrite a
 * successor's lock; then looks whether the path still leads there. False: lost.
 */
export declare function beatSteps(held: Held, refresh: boolean): Steps<boolean>;
/** Releases a lock by its holder, if it is still this one. */
export declare function releaseSteps(held: Held): Steps<ReleaseOutcome | "cancelled">;
/** Releases a lock by its token, from any process that can show it. Under the guard. */
export declare function releaseByTokenSteps(place: Place, rules: JudgeRules, auditor: Auditor, lease: Lease, digest: string): Steps<ReleaseOutcome>;
