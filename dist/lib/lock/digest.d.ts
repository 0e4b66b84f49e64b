/**
 * SHA-256 in hex. The module behind it takes milliseconds to load, and most stages of the action end
 * without needing it: it is loaded when first used.
 */
export declare function sha256(text: string): string;
