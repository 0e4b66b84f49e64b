import { LockError } from "../../../lock/errors.ts";
/** A link is not followed, and a fifo is not waited for. */
export declare const SAFELY: number;
/**
 * Opens a plain file, which is regular and has one name; null where there is none. In a directory that
 * several users share, each can put something else under a file's name: a link or a second name of a
 * file of ours would be written to, a fifo would be waited for.
 */
export declare function openPlain(path: string, flags: number): number | null;
/**
 * Opens a plain file, or creates it with these read and write bits (null: 0600). The mode of a file
 * that is there is left alone, since it may not be ours; but for one of this user's that is still
 * empty, which a crash left before it had its mode.
 */
export declare function openOrCreatePlain(path: string, flags: number, mode: number | null): number;
export declare function notPlain(path: string): LockError;
