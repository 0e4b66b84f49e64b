import type { Claim } from "./claim.ts";
import type { Newer } from "./ends.ts";
import { publicName } from "./names.ts";

/**
 * Claims that want to be the newest are compared by when their clients first asked: after a restart
 * they join the line again in any order, and an old one must not end a newer one then.
 */

/** Whether a newer claim ends this one, where it waits. */
export function isOutdated(claim: Claim, newer: Claim): boolean {
  return claim.newest && claim !== newer && claim.origin <= newer.origin;
}

/** Finds a claim of the kind that is newer than this one, which then comes too late. */
export function newerThan(claim: Claim): Claim | null {
  if (!claim.newest) return null;
  const { holders, waiters } = claim.entry;
  for (const other of [...waiters, ...holders]) {
    if (other.newest && other.origin > claim.origin) return other;
  }
  return null;
}

/** How many wait when this claim has ended the older ones of its kind. */
export function lineBeside(claim: Claim): number {
  const { waiters } = claim.entry;
  if (!claim.newest) return waiters.size;
  return [...waiters].filter((other) => !isOutdated(other, claim)).length;
}

/** Describes a claim to those that it ended. */
export function newerOf({ party }: Claim): Newer {
  const url = party.introduction?.owner.metadata.run_url;
  return {
    by: party.introduction?.owner.id ?? publicName(party),
    url: typeof url === "string" ? url : null,
  };
}
