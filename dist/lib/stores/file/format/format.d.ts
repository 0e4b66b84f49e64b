import type { LockRecord, OwnRecord } from "./record.ts";
/** Lock files are short: a larger one is not a lock, and must not fill our memory. */
export declare const LOCK_FILE_BYTES_LIMIT: number;
/** Any bytes in; a record out. What cannot be understood is `unreadable`, never an exception. */
export declare function parseLock(bytes: Uint8Array): LockRecord;
/** The whole content of a lock file, never shorter than `atLeast` bytes: see `pad`. */
export declare function writeLock(record: OwnRecord, atLeast?: number): string;
