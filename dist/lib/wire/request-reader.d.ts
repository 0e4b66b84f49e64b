import type { Request } from "./request.ts";
import { type Violation } from "./violation.ts";
/**
 * Bytes in, requests out. Chunks may cut requests anywhere and may hold many. After a violation
 * nothing more is read: where one request ends and the next begins is no longer certain.
 */
export declare class RequestReader {
    #private;
    violation: Violation | null;
    /** Bytes that were received and not yet returned as requests. */
    get buffered(): number;
    push(chunk: Buffer): void;
    /** The next complete request; null when there is none, or when `violation` is set. */
    next(): Request | null;
    clear(): void;
}
