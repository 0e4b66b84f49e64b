import type { Store } from "../../lock/store.ts";
import type { StoreOptions } from "../open.ts";
export declare const DEFAULT_STALE_TIMEOUT_MS = 3600000;
export declare function openFileStore(store: string, options: StoreOptions): Store;
