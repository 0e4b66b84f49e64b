import type { Hold } from "../lock/history.ts";
import { historyOf } from "../lock/history.ts";
import type { Store } from "../lock/store.ts";
import { within } from "../lock/time.ts";
import type { Wanted } from "./protocol.ts";

/** As many holds as a report makes use of. */
const LIMIT = 20;
/** Nobody waits longer for what is only a report. */
const PATIENCE_MS = 500;

export type Past = () => Promise<readonly Hold[]>;

/** The key's latest holds, for the report at the job's end: read once, when first asked for. */
export function pastOf(store: Pick<Store, "history">, wanted: Wanted): Past {
  const history = wanted.history ? historyOf(store, wanted.request.key, LIMIT) : null;
  let read: Promise<readonly Hold[]> | null = null;
  return async () => {
    if (history === null) return [];
    read ??= history();
    return within(read, PATIENCE_MS, () => new Error("the history takes too long")).catch(() => []);
  };
}
