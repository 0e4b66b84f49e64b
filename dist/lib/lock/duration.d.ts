export { formatAge, formatDuration } from "./people/duration.js";
/** A year of waiting is a typing error, and larger numbers overflow somewhere down the line. */
export declare const DURATION_LIMIT_MS: number;
/** Milliseconds, or null for `none`: without limit. */
export declare function parseDuration(text: string, name?: string): number | null;
