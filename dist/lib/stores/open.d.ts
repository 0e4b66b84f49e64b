import type { Store } from "../lock/store.ts";
import type { StoreOptions } from "./options.ts";
export declare const SCHEMES: string[];
/** Opens a store by URL or path. Nothing is created, and no server is asked, before the first call. */
export declare function openStore(store?: string, options?: StoreOptions): Promise<Store>;
/**
 * A store's scheme. A single letter before the colon is a Windows drive; `github` alone is the
 * repository of the job, and a directory of that name is `./github`.
 */
export declare function schemeOf(store: string): string;
/**
 * Whether a store is a document in somebody's engine. Its password is not written into lease files,
 * and its holders may be judged by their forge.
 */
export declare function isDocumentStore(store: string): boolean;
/** Whether a store is the refs of a repository: its forge knows the jobs that use it. */
export declare function isRepository(store: string): boolean;
/**
 * The password in a document store's URL, as the token that stands for it. Everything that is handed on or saved
 * names the store without it.
 */
export declare function tokenIn(store: string): Pick<StoreOptions, "token">;
/** A store that is only looked at. `url`: absent for lock files, which are not asked over a network. */
export type Reader = Pick<Store, "inspect" | "verify" | "close"> & Partial<Pick<Store, "url">>;
/** Opens a store to look at it. Of the file store only the part that looks is loaded. */
export declare function openReader(store: string, options: StoreOptions): Promise<Reader>;
