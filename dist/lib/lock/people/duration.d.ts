/**
 * A duration for people: `4m 10s`, `2h`, `350ms`. At most two units. The command line and the server's
 * page show the same words, so this file is one that a browser loads as it is.
 *
 * @param {number} milliseconds
 */
export declare function formatDuration(milliseconds: number): string;
/**
 * A time that goes on, in whole seconds: it has changed before anybody could read its milliseconds.
 * The clocks of two machines may differ, so it is never below zero.
 *
 * @param {number} milliseconds
 */
export declare function formatAge(milliseconds: number): string;
