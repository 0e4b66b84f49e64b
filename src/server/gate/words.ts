import { forecastStatus } from "../../forecast/status.ts";
import { waitingInLine } from "../../forecast/words.ts";
import type { Hold } from "../../lock/history.ts";
import type { Holder } from "../../lock/status.ts";
import { describeHolder, describeLine, frozenSlotsOf, shownKey } from "../observers/describe.ts";
import type { Claim, Entry } from "../table/claim.ts";
import type { Refusal } from "../table/types.ts";
import type { GateTerms } from "./config.ts";

/** As much as GitHub takes. Which characters it counts is not said: here a rare one counts as two. */
const COMMENT_LIMIT = 1_024;

/** What GitHub takes as a comment. */
export function comment(text: string): string {
  if (text.length <= COMMENT_LIMIT) return text;
  const cut = text.slice(0, COMMENT_LIMIT - 1);
  return `${cut.replace(/[\uD800-\uDBFF]$/, "")}…`;
}

/** What must differ for a comment to be worth sending. */
export function pictureOf(claim: Claim): string {
  const { entry } = claim;
  const fences = Array.from(entry.holders, ({ fence }) => fence);
  return JSON.stringify([placeOf(claim), fences, entry.freeze]);
}

/** Why a run cannot stand in line yet, in a sentence without its end. */
export function cannotClaim(
  refusal: Refusal,
  { key, slots }: GateTerms,
  entry: Pick<Entry, "limit"> | undefined,
): string {
  const isOfSlots = refusal === "limit-mismatch" && entry !== undefined;
  const why = isOfSlots
    ? `it is in use with slots ${entry.limit}, and the gate's file says ${slots}`
    : `the server has no room for it (${refusal})`;
  return `not in line for ${key} yet: ${why}; this is tried again`;
}

function placeOf(claim: Claim): number {
  return [...claim.entry.waiters.inOrder].indexOf(claim) + 1;
}

/** How a waiting claim stands, in a sentence without its end. */
export function standing(claim: Claim, holds: readonly Hold[], now: number): string {
  const { entry } = claim;
  const holders = Array.from(entry.holders, (each): Holder => {
    return { ...describeHolder(each), reclaimable: null };
  });
  const waiters = describeLine(entry, Number.POSITIVE_INFINITY).map((waiter) => {
    return { ...waiter, alive: null };
  });
  const position = placeOf(claim);
  const waiting = entry.waiters.size;
  const status = {
    key: shownKey(entry.key),
    store: "",
    slots: entry.limit,
    resources: entry.resources,
    holders,
    waiting,
    waiters,
    frozen: entry.freeze,
    frozenSlots: frozenSlotsOf(entry),
  };
  const estimate = forecastStatus(status, holds, now).waiters[position - 1]?.estimate ?? null;
  const { frozen, frozenSlots } = status;
  const progress = { position, waiting, holders, estimate, frozen, frozenSlots };
  return waitingInLine(status.key, progress, now);
}
