import { type Estimate, type Hold, historyOf } from "../lock/history.ts";
import type { Holder, KeyStatus, SlotFreeze, Waiter } from "../lock/status.ts";
import type { Store } from "../lock/store.ts";
import { estimateTurn } from "./estimate.ts";

/** A status with the turn of everybody in line, and of a claim that would join it now. */
export interface ForecastStatus extends KeyStatus {
  readonly waiters: readonly (Waiter & { readonly estimate: Estimate | null })[];
  readonly estimate: Estimate | null;
}

/** How many keys are looked up at once: a server must not be flooded with requests. */
const AT_ONCE = 8;

/** A status with the turns that its history lets expect. Without a history there are none. */
export async function withEstimate(
  store: Store,
  status: KeyStatus,
  now: number,
): Promise<ForecastStatus> {
  const taken = status.holders.reduce((sum, { weight }) => sum + weight, 0);
  const isAwaited = taken >= status.slots || status.waiting > 0;
  const history = isAwaited ? historyOf(store, status.key) : null;
  // A status is useful without an estimate: if this fails, the estimate is left out.
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

/** The slots that are given out, and who has them: nobody gets one that is frozen by itself. */
export function givenOut<T extends Pick<Holder, "slots">>({
  slots,
  holders,
  frozenSlots = [],
}: {
  readonly slots: number;
  readonly holders: readonly T[];
  readonly frozenSlots?: readonly Pick<SlotFreeze, "slot">[];
}) {
  const frozen = new Set(frozenSlots.flatMap(({ slot }) => (slot < slots ? slot : [])));
  return {
    slots: slots - frozen.size,
    holders: holders.flatMap((holder) => {
      const weight = holder.slots.filter((slot) => !frozen.has(slot)).length;
      return weight === 0 ? [] : { ...holder, weight };
    }),
  };
}

/** How many claims of a line get an estimate: each costs half a millisecond. */
const WAITERS_LIMIT = 50;

export function forecastStatus(
  status: KeyStatus,
  holds: readonly Hold[],
  now: number,
): ForecastStatus {
  // Nobody knows when a freeze ends.
  const turnOf = (position: number, weight = 1) =>
    status.frozen === null
      ? estimateTurn({ holds, ...givenOut(status), weight, ahead: status.waiters, position, now })
      : null;
  return {
    ...status,
    waiters: status.waiters.map((waiter) => ({
      ...waiter,
      estimate: waiter.position > WAITERS_LIMIT ? null : turnOf(waiter.position, waiter.weight),
    })),
    estimate: turnOf(status.waiting + 1),
  };
}
