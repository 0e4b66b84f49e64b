/** `http://host:8080/deploys`: a server, and what its keys begin with. */
export interface Address {
    /** As the user would write it: shown in sentences and given to later steps. */
    readonly shown: string;
    /** `http://host:8080`. */
    readonly origin: string;
    /** Without the brackets of IPv6. */
    readonly host: string;
    readonly port: number;
    readonly secure: boolean;
    /** What stands before each key at the server, decoded: `deploys/`, or nothing. */
    readonly base: string;
}
export declare function parseAddress(store: string): Address;
/**
 * A key at the server: its text behind the store's base. Where that would be read in several ways
 * on its way there (parsers of URLs collapse dots and slashes, some decode twice), or means
 * something else to the server, the key is encoded once more: what arrives is then plain, and is
 * told from every other key by its `%`.
 */
export declare function serverKeyOf(base: string, key: string): string;
/** The user's key of one that the server lists; null where it is not of this store. */
export declare function keyOf(base: string, serverKey: string): string | null;
/** The path of a server's key. */
export declare function pathOf(serverKey: string): string;
