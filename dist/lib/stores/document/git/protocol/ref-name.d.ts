/**
 * The name of a key's ref. Small letters, digits, `_`, `-` and single dots stay; everything else is
 * percent-encoded, capitals too: a server on a disk that does not tell them apart must not make one
 * lock of two keys. The result is one component that git accepts, whatever the key.
 */
export declare function refNameOf(key: string): string;
/** The key of a ref's name. Null where it was cut, or is not one of ours. */
export declare function keyOfRefName(name: string): string | null;
/** Whether a name may be that of a key which only the document tells. */
export declare function isCutName(name: string): boolean;
