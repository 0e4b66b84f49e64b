import type { Holder, KeyStatus } from "../lock/store.ts";

/** As the file store has it, for locks that name only a process, and for those that nobody can read. */
const STALE_TIMEOUT_MS = 3_600_000;

/** Whether a claim would get the key at once: a slot is free, or its holder dead, and nobody waits. */
export function isFree(status: KeyStatus, now: number): boolean {
  const living = status.holders.filter((holder) => !isAbandoned(holder, now));
  return status.waiting === 0 && living.length < status.slots;
}

/** Whether the next claim takes the lock from this holder. */
export function isAbandoned(holder: Holder, now: number): boolean {
  const age = now - Date.parse(holder.since ?? new Date(now).toISOString());
  if (holder.problem !== undefined) return age >= STALE_TIMEOUT_MS;
  // A foreign lock is left alone until it is old as well as dead.
  if (holder.ttl === null) return holder.alive === false && age >= STALE_TIMEOUT_MS;
  if (holder.alive === false) return true;
  // Elsewhere: a claim would first have to watch it for a while.
  if (holder.alive === null && holder.fence !== null) return false;
  const lastSign = Date.parse(holder.heartbeat ?? "");
  return now - lastSign > holder.ttl * 1_000;
}
