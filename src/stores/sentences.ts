import { frozenInLine, holdersInLine, slotsFrozen } from "../forecast/words.ts";
import { formatDuration } from "../lock/duration.ts";
import { LockError } from "../lock/errors.ts";
import { counted } from "../lock/people/names.ts";
import type { KeyStatus } from "../lock/status.ts";
import type { Store } from "../lock/store.ts";

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

/**
 * A claim whose time ran out before its store answered at all: nobody else holds the lock then, and a script has
 * to see the difference. `why`: a sentence without its full stop.
 */
export function neverAnswered(limit: number, why: string): LockError {
  const message = `${why}, and the ${formatDuration(limit)} of the claim are over.`;
  return new LockError("STORE_UNREACHABLE", message);
}

/** What is said of a dead-after that the store raises; null if the store keeps it as it is. */
export function deadAfterRaised(
  { url, leastDeadAfter = 0 }: Pick<Store, "url" | "leastDeadAfter">,
  deadAfter: number | undefined,
): string | null {
  if (deadAfter === undefined || deadAfter >= leastDeadAfter) return null;
  const [less, more] = [deadAfter, leastDeadAfter].map(formatDuration);
  return `dead-after ${less} is raised to ${more}: the store ${url} keeps no less.`;
}

/** `1 claim is ahead`, `3 claims are ahead`. */
export function claimsAhead(count: number): string {
  return `${counted(count, "claim")} ${count === 1 ? "is" : "are"} ahead`;
}

export function describeHolders(
  status: Pick<KeyStatus, "holders" | "waiting"> &
    Partial<Pick<KeyStatus, "frozen" | "frozenSlots" | "resources" | "slots">>,
  now: number,
): string {
  if (status.frozen != null) return frozenInLine(status.frozen);
  const frozen = slotsFrozen(status);
  const held = status.holders.length === 0 ? [] : [`held by ${holdersInLine(status.holders, now)}`];
  const why = [...held, ...(frozen === null ? [] : [frozen])];
  return why.length === 0 ? claimsAhead(status.waiting) : why.join("; ");
}
