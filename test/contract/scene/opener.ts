import type { Store } from "../../../src/lock/store.ts";
import { openStore } from "../../../src/stores/open.ts";
import type { StoreOptions } from "../../../src/stores/options.ts";

/** Opens a store by its scheme, or by the `open` of a module for one that has none. */
export async function openBy(
  opener: string | undefined,
  url: string,
  options: StoreOptions,
): Promise<Store> {
  if (opener === undefined || opener === "") return openStore(url, options);
  const module = (await import(opener)) as { open: typeof openStore };
  return module.open(url, options);
}
