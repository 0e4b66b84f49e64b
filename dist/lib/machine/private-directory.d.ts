/**
 * The default directory is in a place where everybody may create files. Whoever owns it decides who
 * gets a lock, so it must be this user's own.
 */
export declare function checkDefault(path: string): void;
/** What keeps a directory from being this user's own; null where it is. */
export declare function whyNotPrivate(path: string): string | null;
