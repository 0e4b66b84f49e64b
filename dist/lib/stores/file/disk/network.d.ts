/** The name of the shared filesystem that a directory is on; null for one of this machine alone. */
export declare function sharedFilesystem(directory: string): string | null;
export declare function sharedTypeName(type: number): string | null;
export declare const RETRIES = 10;
export declare const RETRY_DELAY_MS = 100;
export declare function isPassing(error: unknown): boolean;
/**
 * The lock policy's retry: 10 attempts, 100 ms doubling. The first attempt is at once and
 * synchronous; only a passing error makes this a promise.
 */
export declare function withRetry<T>(call: () => T, sleep?: (ms: number) => Promise<unknown>): T | Promise<T>;
