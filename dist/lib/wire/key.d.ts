/**
 * A key as it goes over the wire. All Holdfast clients must encode alike, or they lock two
 * different keys; plain keys are sent as they are, so that other clients can name them too.
 */
export declare function encodeWireKey(key: string): string;
/** The key as its user wrote it; as it came, where it was cut or where another client made it. */
export declare function decodeWireKey(sent: string): string;
