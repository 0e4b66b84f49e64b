import type { KeyStatus, Lease } from "../../lock/store.ts";
import type { StoreOptions } from "../options.ts";
import type { Place } from "./disk/place.ts";
import { Site } from "./site.ts";
export declare function openFileReader(store: string, options: StoreOptions): FileReader;
/** Looks at the locks of a file store: without a guard, and without the code that changes anything. */
export declare class FileReader {
    #private;
    constructor(site: Site);
    inspect(key: string): Promise<KeyStatus>;
    verify(lease: Pick<Lease, "key" | "fence" | "slot">): Promise<boolean>;
    /** Looks at one key. The caller has checked that the store can be read. */
    look(place: Place): Promise<KeyStatus & {
        remembered: boolean;
    }>;
    close(): Promise<void>;
}
