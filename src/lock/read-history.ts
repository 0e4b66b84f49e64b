import type { Hold } from "./history.ts";
import type { Store } from "./store.ts";

/** As many holds as are looked back at: older ones say little about today. */
export const HISTORY_LIMIT = 50;

export type ReadHistory = () => Promise<readonly Hold[]>;

/** How a store's history of a key is read; null where the store remembers nothing. */
export function historyOf(
  store: Pick<Store, "history">,
  key: string,
  limit = HISTORY_LIMIT,
): ReadHistory | null {
  const { history } = store;
  return history === undefined ? null : () => history.call(store, key, { limit });
}
