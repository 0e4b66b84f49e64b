import type { Hold } from "../../lock/history.ts";
import type { BreakOptions, BreakResult, ClaimOptions, ClaimRequest, Holding, KeyStatus, Lease, ReleaseOutcome, Store, StorePromises } from "../../lock/store.ts";
import type { StoreOptions } from "../options.ts";
import { type Address } from "./address.ts";
export declare function openHttpStore(store: string, options: StoreOptions): HttpStore;
/** A server of the file-locking API: ours, or one of the protocol's authors, with less to promise. */
export declare class HttpStore implements Store {
    #private;
    readonly url: string;
    constructor(address: Address, options: StoreOptions);
    /** All of them, until the server has turned out to be one without lines: it is not asked for this alone. */
    get promises(): StorePromises;
    claim(request: ClaimRequest, options?: ClaimOptions): Promise<Holding>;
    keyOf(text: string): string;
    inspect(key: string): Promise<KeyStatus>;
    list(options?: {
        all?: boolean;
    }): Promise<KeyStatus[]>;
    break(key: string, options: BreakOptions): Promise<BreakResult>;
    /** The holds of a key that are over, newest first, as far as the server remembers them. */
    history(key: string, { limit }: {
        limit: number;
    }): Promise<Hold[]>;
    /** By the fence, as everybody sees it; without one, or without the right to look, by the session. */
    verify(lease: Parameters<Store["verify"]>[0]): Promise<boolean>;
    release(lease: Lease): Promise<ReleaseOutcome>;
    /** Holdings go on: their next refresh opens a connection where it needs one. */
    close(): Promise<void>;
}
