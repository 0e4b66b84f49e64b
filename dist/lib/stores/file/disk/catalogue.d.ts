import type { World } from "../protocol/world.ts";
import { type Place } from "./place.ts";
export interface Entry {
    readonly place: Place;
    /** Slots whose lock file is there, and always slot 0. */
    readonly slots: readonly number[];
    /** Temporary files of its locks, by name. */
    readonly temporaries: readonly string[];
}
/** Every key that has left a trace in a directory: a lock file, a side directory, a temporary file. */
export declare function catalogue(world: Pick<World, "list" | "read">, directory: string): Entry[];
/**
 * The entries where their locks really are: a link is followed as a claim follows it, and never counts
 * as a lock itself. Directories are left out: other tools lock by them, and a claim of such a key says so.
 */
export declare function reachable(entries: readonly Entry[], within: string | null): Entry[];
/** The key of a lock file: a field of its files or, where they do not tell, the file's name. */
export declare function keyOf(world: Pick<World, "read">, lock: string): string;
