export type TokenMaker = (fence: number) => string;
/**
 * A token that proves a grant and carries its fence: a UUIDv7 in 32 hex digits. 48 bits of
 * milliseconds, the version, 12 bits that count from 0 to 999 within the millisecond, the variant
 * and 62 random bits. Fence = milliseconds * 1000 + count.
 */
export declare function createTokenMaker(): TokenMaker;
/**
 * The fence of a token, or null where it carries none. A foreign server's random token can look
 * like ours by chance (about one in a thousand): ask its `stats` what it is before believing this.
 */
export declare function fenceOf(token: string): number | null;
