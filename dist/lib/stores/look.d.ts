import type { Store } from "../lock/store.ts";
import { type StoreOptions } from "./open.ts";
/** A store for those who only look. */
export type Reader = Pick<Store, "inspect" | "verify" | "close">;
/** The usual store is part of the program that calls this: every job's main looks once, and ends. */
export declare function openReader(store: string, options: StoreOptions): Promise<Reader>;
