export declare function hasControl(text: string): boolean;
/** Replaces each control character by a space, as the lock-file specs say of tags. */
export declare function cleanText(text: string): string;
export declare function byteLength(text: string): number;
/** Cuts at a character boundary so that at most `bytes` bytes of UTF-8 remain. */
export declare function cutToBytes(text: string, bytes: number): string;
/** For error sentences: the text in quotes, control characters made visible, long text cut. */
export declare function quote(text: string, limit?: number): string;
/** SHA-256 of a text, in 64 hex digits. */
export declare function sha256(text: string): string;
/**
 * Text for a log or a terminal, on one line. Owners, notes, keys and run addresses were written by
 * others: nothing in them may reach a terminal or a CI runner as anything but letters.
 */
export declare function showable(text: string): string;
/** One JSON document, with the same characters escaped: equal for a parser, harmless in a log. */
export declare function jsonText(value: unknown): string;
/**
 * A store's URL without the password in it: user, host, port and path stay. For whatever is shown,
 * also of URLs that are no good: where it cannot be told what is the password, more is left out.
 */
export declare function withoutPassword(url: string): string;
