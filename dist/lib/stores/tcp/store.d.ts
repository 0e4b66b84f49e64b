import type { Store } from "../../lock/store.ts";
import type { StoreOptions } from "../options.ts";
export declare function openTcpStore(store: string, options: StoreOptions): Store;
