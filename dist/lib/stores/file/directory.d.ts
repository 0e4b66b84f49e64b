import { LockError } from "../../lock/errors.ts";
import { type Place } from "./place.ts";
/** Makes a store's directory where it is missing, and refuses a default one that is not safe. */
export declare function prepareDirectory(path: string, isDefault: boolean): void;
/**
 * The default directory is in a place where everybody may create files. Whoever owns it decides who
 * gets a lock, so it must be this user's own.
 */
export declare function checkDefault(path: string): void;
/** What keeps a directory from being this user's own; null where it is. */
export declare function whyNotPrivate(path: string): string | null;
/** The read and write bits that a directory's mode implies for files in it. */
export declare function fileMode(directory: string): number | null;
/** Makes the side directory of a key and its guard, as widely usable as the store's directory. */
export declare function preparePlace(place: Place): void;
/** The system's words become a sentence that says what to do. */
export declare function explain(error: unknown, path: string): LockError;
