import { LockError } from "../../../lock/errors.ts";
export declare function notADirectory(path: string): LockError;
/** The system's words become a sentence that says what to do. */
export declare function explain(error: unknown, path: string): LockError;
