import type { ReleaseOutcome } from "../../../lock/store.ts";
import { type Auditor } from "../audit/entry.ts";
import type { Place } from "../disk/place.ts";
import type { OwnRecord } from "../format/record.ts";
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
 * Whether what is under the lock's name is still this holder's. Mostly the inode tells; but a tool of
 * the lock policy takes over by writing into the file that is there, so what it says counts as well.
 * A file of ours that cannot be read is still ours.
 */
export declare function isOurs(held: Held, view: FileView | null): boolean;
/** Lets go, if the lock is still this one. */
export declare function releaseSteps(held: Held): Steps<ReleaseOutcome | "cancelled">;
/**
 * A sign of life, written through the holder's own descriptor, so that it can never overwrite a
 * successor's lock; then a look whether the path still leads there. False: lost.
 */
export declare function beatSteps(held: Held, refresh: boolean): Steps<boolean>;
