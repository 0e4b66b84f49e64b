export declare const DEFAULT_PORT = 6388;
export interface Address {
    readonly host: string;
    readonly port: number;
    readonly secure: boolean;
    /** As it stands in sentences: `tcp://127.0.0.1:6388`. */
    readonly shown: string;
}
/** `tcp://host:port`, `tls://host:port`, or several servers with commas between them. */
export interface Addresses {
    readonly url: string;
    readonly servers: readonly [Address, ...Address[]];
}
export declare function parseAddresses(store: string): Addresses;
/** Which server has a key: the rule of dflockd's own clients, so that theirs and ours meet. */
export declare function serverOf<T>(servers: readonly [T, ...T[]], wireKey: string): T;
