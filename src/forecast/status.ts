import { historyOf } from "../lock/history.ts";
import type { KeyStatus, Store } from "../lock/store.ts";
import { type ForecastStatus, forecastStatus } from "./forecast.ts";

/** So many keys are looked up at once: a server is not to be flooded with questions. */
const AT_ONCE = 8;

/** A status with the turns that its history lets expect. Without a history there are none. */
export async function withEstimate(
  store: Store,
  status: KeyStatus,
  now: number,
): Promise<ForecastStatus> {
  const isAwaited = status.holders.length >= status.slots || status.waiting > 0;
  const history = isAwaited ? historyOf(store, status.key) : null;
  // A status is worth more than its estimate: whatever fails here is left out.
  const holds = history === null ? [] : await history().catch(() => []);
  return forecastStatus(status, holds, now);
}

export async function withEstimates(
  store: Store,
  found: readonly KeyStatus[],
  now: number,
): Promise<ForecastStatus[]> {
  const known: ForecastStatus[] = [];
  for (let first = 0; first < found.length; first += AT_ONCE) {
    const some = found.slice(first, first + AT_ONCE);
    known.push(...(await Promise.all(some.map((status) => withEstimate(store, status, now)))));
  }
  return known;
}
