/**
 * Refuses a default directory that is not this user's own. It is in a place where every user may create
 * files, and its owner decides who gets a lock.
 */
export declare function checkDefault(path: string): void;
/** What keeps a directory from being this user's own; null where it is. */
export declare function whyNotPrivate(path: string): string | null;
