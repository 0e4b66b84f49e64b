import { holdersInLine } from "../forecast/words.ts";
import { formatDuration } from "../lock/duration.ts";
import { LockError } from "../lock/errors.ts";
import type { KeyStatus } from "../lock/store.ts";

/** What every store says in the same words when a claim ends without the lock. */
export function aborted(): LockError {
  return new LockError("ABORTED", "The claim was cancelled and has left the line.");
}

/** `limit`: milliseconds that the claim was ready to wait. */
export function notAcquired(key: string, limit: number, why: string): LockError {
  const limitText = limit === 0 ? "at once" : `within ${formatDuration(limit)}`;
  return new LockError(
    "TIMEOUT",
    `${JSON.stringify(key)} was not acquired ${limitText}: ${why.replace(/\.$/, "")}.`,
  );
}

export function describeHolders(
  status: Pick<KeyStatus, "holders" | "waiting">,
  now: number,
): string {
  if (status.holders.length === 0) return `${status.waiting} claims are ahead`;
  return `held by ${holdersInLine(status.holders, now)}`;
}
