import type { Store } from "../lock/store.ts";
import { openFileReader } from "./file/reader.ts";
import { openStore, type StoreOptions } from "./open.ts";
import { schemeOf } from "./scheme.ts";

/** A store for those who only look. */
export type Reader = Pick<Store, "inspect" | "verify" | "close">;

/** The usual store is part of the program that calls this: every job's main looks once, and ends. */
export async function openReader(store: string, options: StoreOptions): Promise<Reader> {
  return schemeOf(store) === "file" ? openFileReader(store, options) : openStore(store, options);
}
