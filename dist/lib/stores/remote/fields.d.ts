/**
 * Fields of a server's answer, none of which is known to be what it should be: the server may be
 * broken, hostile or another one. Each reader below gives null for anything else than it is for.
 */
export type Fields = Readonly<Record<string, unknown>>;
export declare function asFields(value: unknown): Fields | null;
export declare function textIn(fields: Fields | null, name: string): string | null;
/** Text on one line. */
export declare function cleanIn(fields: Fields | null, name: string): string | null;
/** A whole number of things, or a number that names one. */
export declare function countIn(fields: Fields | null, name: string): number | null;
/** Any number that is not negative, such as seconds. */
export declare function amountIn(fields: Fields | null, name: string): number | null;
/** A time as ISO 8601, from such a text or from milliseconds. */
export declare function timeIn(fields: Fields | null, name: string): string | null;
export declare function listIn(fields: Fields | null, name: string): Fields[] | null;
