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
