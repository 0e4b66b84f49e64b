/**
 * In milliseconds, the longest that a timer of Node's can run, some 25 days: one that is asked to run
 * longer fires at once. Whoever may wait longer goes in parts.
 */
export declare const TIMER_LIMIT_MS: number;
