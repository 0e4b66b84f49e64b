/**
 * The next fencing number: `max(last + 1, now in microseconds)`. Because it follows the clock, it
 * also grows when the store's memory of `last` was wiped, restored from a backup or moved; because
 * of `last + 1`, it also grows when the clock went back. A safe integer until the year 2255.
 */
export declare function nextFence(last: number | null, nowMs: number): number;
