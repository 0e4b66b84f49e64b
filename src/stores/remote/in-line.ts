import type { KeyStatus } from "../../lock/store.ts";
import { describeHolders } from "../sentences.ts";

/** How often a waiting claim looks; the longer the line, the less often, to spare the server. */
const LOOK_MS = 1_000;
const LOOK_PER_WAITER_MS = 20;
/** Below the 23 s after which a server cuts off who is silent. */
const LOOK_LIMIT_MS = 15_000;
/** One failed look may be chance, and so may one in which a place just changed into a grant. */
export const FAILURES_LIMIT = 2;

/** A claim that lost its place joins the line again, after this. */
export const REJOIN_MS = 250;
/** So long it is tried: a server's restart takes seconds, its machine's a minute or two. */
export const REJOIN_LIMIT_MS = 120_000;

/** A sentence about who is in the way is not worth a longer wait. */
export const EXPLAIN_MS = 1_000;

export function lookPause(waiting: number): number {
  return Math.min(Math.max(LOOK_MS, waiting * LOOK_PER_WAITER_MS), LOOK_LIMIT_MS);
}

export function joiningAgain(why: string): string {
  return `the place in line was lost (${why.replace(/\.$/, "")}), joining it again`;
}

/** Why a claim that was not to wait any longer has got nothing. `shown`: the server. */
export async function whoIsInTheWay(
  shown: string,
  look: () => Promise<KeyStatus>,
): Promise<string> {
  try {
    const status = await look();
    if (status.holders.length === 0) return "it was held until a moment ago";
    return describeHolders(status, Date.now());
  } catch {
    return `the lock server ${shown} does not answer`;
  }
}
