export declare const KEY_BYTES_LIMIT = 200;
/** A key is opaque text: checked here once, then encoded, never interpreted. */
export declare function parseKey(text: string): string;
/**
 * The file name of a key, without `.lock`. Everything but letters, digits, `.`, `_` and `-` is
 * percent-encoded, and so is a leading dot, so that no key can leave the directory or hide in it.
 */
export declare function encodeKey(key: string): string;
/** The key of a file name, or null where the name was cut (the key is then a field of the file). */
export declare function decodeKey(name: string): string | null;
