import type { KeyStatus } from "../lock/store.ts";

/** Whether a claim would get the key at once: a slot is free, or its holder dead, and nobody waits. */
export function isFree(status: KeyStatus): boolean {
  const living = status.holders.filter(({ reclaimable }) => reclaimable === null);
  return status.waiting === 0 && living.length < status.slots;
}
