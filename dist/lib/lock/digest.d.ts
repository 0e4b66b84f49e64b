/**
 * SHA-256 (FIPS 180-4) in hex. Done here, since Node's crypto takes a stage of the action longer to
 * load than all of its own code, for one digest of a token. It is for names and for random tokens,
 * whose time tells nothing; for much data Node's is faster, and is used where there is much.
 */
export declare function sha256(text: string): string;
