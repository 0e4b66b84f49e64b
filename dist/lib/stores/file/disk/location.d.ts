/**
 * Where a file store is: a directory of locks, or one lock file. `isDefault`: it is the default
 * directory, or a lock file in it, which must be this user's own.
 */
export type Location = {
    readonly kind: "directory";
    readonly path: string;
    readonly isDefault: boolean;
} | {
    readonly kind: "lock";
    readonly path: string;
    readonly isDefault: boolean;
};
/** One fixed place for the whole machine: two runners on it must meet, whatever their TMPDIR. */
export declare function defaultDirectory(env?: NodeJS.ProcessEnv): string;
export declare function parseLocation(store: string, workingDirectory: string): Location;
/** How a store names itself: a file URL that leads back to it. */
export declare function locationUrl(location: Location): string;
/**
 * The path that a lock file really has, so that two ways to it share one guard and one line.
 * Dangling links are followed too: the lock then appears where the link points. In a directory that
 * several users share, each can make a link; so it is followed only where it cannot lead to a file
 * that its maker wants changed or removed by another user (the owners and the name are checked).
 */
export declare function resolveLock(path: string): string;
/** The directory itself, or the nearest one above it that is there. */
export declare function nearestExisting(path: string): string;
/** A directory that may not exist yet: what exists of it is resolved. */
export declare function resolveDirectory(path: string): string;
/** Resolves links, so that two ways to one directory meet at one guard. The default must not be a link at all. */
export declare function resolveLocation(location: Location): Location;
