export declare const LOCK_SUFFIX = ".lock";
export declare const TICKET_SUFFIX = ".ticket";
export declare const GRAVE_SUFFIX = ".grave";
export declare const SIDE_DIRECTORY = ".holdfast";
export declare const AUDIT_LOG = ".lock_audit.log";
/**
 * A name in a directory whose path is in its normal form already: `join` would go through all of it
 * again, character by character, for every one of a key's files.
 */
export declare function inside(directory: string, name: string): string;
/** Where one key's files are. Two ways to the same lock file give the same place. */
export interface Place {
    readonly key: string;
    readonly directory: string;
    /** The lock file of slot 0. */
    readonly lock: string;
    /** Guard, fence and line of this key: `.holdfast/<lock file's name>/`. */
    readonly side: string;
    readonly guard: string;
    readonly fence: string;
    readonly audit: string;
    /** Reached through a link: only what can be read as a lock is ever removed there. */
    readonly linked: boolean;
}
/** The place of a lock file, which must be a resolved path: no symlink, no `..`. */
export declare function placeOf(key: string, lock: string, linked?: boolean): Place;
/** The name of a key's lock file in a directory store. */
export declare function lockFileName(key: string): string;
export declare function slotPath(place: Place, slot: number): string;
/** The spec's name of a temporary file: beside its lock, with the pid, unguessable. */
export declare function temporaryPath(lock: string, pid: number, random: string): string;
/** The pid of a temporary file of that lock, or null where the name is not one. */
export declare function temporaryPid(lock: string, name: string): number | null;
export declare function gravePath(place: Place, slot: number): string;
/** Slots that have a grave, from the names in the side directory. */
export declare function gravesIn(names: readonly string[]): number[];
