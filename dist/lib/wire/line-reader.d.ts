/** How long a reply may be. The real server's `stats` stays below this, and so does ours. */
export declare const REPLY_LIMIT = 1048576;
/**
 * Reads reply lines from bytes, for clients. A line may be as long as a `stats` reply, and arrives in
 * pieces; the pieces are joined once, at the newline.
 */
export declare class LineReader {
    #private;
    /** Set when a line grew beyond the limit: whatever talks there does not speak the protocol. */
    tooLong: boolean;
    constructor(limit?: number);
    push(chunk: Buffer): void;
    next(): string | null;
}
