import { type Place } from "./place.ts";
/** Makes a store's directory where it is missing, and refuses a default one that is not safe. */
export declare function prepareDirectory(path: string, isDefault: boolean): void;
/** The read and write bits that a directory's mode implies for files in it. */
export declare function fileMode(directory: string): number | null;
/** Makes the side directory of a key and its guard, as widely usable as the store's directory. */
export declare function preparePlace(place: Place): void;
/** Refuses a key whose files would be led elsewhere. */
export declare function checkSideDirectories(place: Pick<Place, "side">): void;
