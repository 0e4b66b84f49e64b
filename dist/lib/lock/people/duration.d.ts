/**
 * A duration for people: `4m 10s`, `2h`, `350ms`. At most two units. The command line and the server's
 * page show the same words, so a browser loads this file as it is.
 *
 * @param {number} milliseconds
 */
export declare function formatDuration(milliseconds: number): string;
/**
 * A time that is still running, in whole seconds: its milliseconds change faster than anybody reads.
 * The clocks of two machines may differ, so it is never below zero.
 *
 * @param {number} milliseconds
 */
export declare function formatAge(milliseconds: number): string;
