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
