import type { StorePromises } from "../../lock/store.ts";
import { type Processes } from "../../machine/processes.ts";
import type { StoreOptions } from "../options.ts";
import { type Location } from "./disk/location.ts";
import { type Place } from "./disk/place.ts";
import type { JudgeRules } from "./protocol/judge.ts";
export declare const DEFAULT_STALE_TIMEOUT_MS = 3600000;
/** The site of a file store: where it is and which rules apply. Shared by its reader, holder and claims. */
export declare class Site {
    #private;
    readonly url: string;
    readonly scope: StorePromises["scope"];
    /** Between machines. */
    readonly shared: boolean;
    readonly options: StoreOptions;
    readonly processes: Processes;
    readonly location: Location;
    readonly directory: string;
    constructor(store: string, options: StoreOptions);
    /** Checked. In a store that is one lock file, the key is that file's name, and may be left out. */
    key(key: string): string;
    /** Whether the files go to the default directory; a link there may put a lock file elsewhere. */
    get isDefault(): boolean;
    /** The place of a checked key. */
    place(key: string): Place;
    /** Looking must not create anything; a store that is not there yet is empty. */
    checkReadable(): void;
    rules(): JudgeRules;
    /** Whatever fails becomes a sentence about this store. */
    explained<T>(call: () => T | Promise<T>): Promise<T>;
}
