/** Random bytes in hex. Asking the system for a few bytes at a time costs as much as many at once. */
export declare function randomHex(bytes: number): string;
