import type { ReclaimReason } from "../../../lock/reclaim.ts";
import type { Claimant, Rank, WaiterEntry } from "../document.ts";
import type { Size } from "../operations/claim.ts";
import { entering, inOrder, isReady, readyInOrder } from "../operations/line.ts";
import type { Timing } from "../timing.ts";
import type { Observations } from "./observations.ts";
import type { Seen } from "./swap.ts";

/** A claim, as far as its turn depends on it. */
export interface Candidate extends Size {
  readonly claimant: Claimant;
  readonly rank?: Pick<Rank, "weight" | "priority"> | undefined;
  /** False: it only keeps its place. */
  readonly isReady: boolean;
  /** False: once it is ready, it takes the lock at once or not at all. */
  readonly mayWait: boolean;
  readonly allowed: readonly ReclaimReason[];
  readonly observations: Observations;
  readonly timing: Pick<Timing, "grace" | "lineLimit">;
}

/** How a claim stands by the rule of admission, whatever is known about the lives of others. */
export interface Place {
  readonly isInLine: boolean;
  /** The claims before it, in the order that people are told. */
  readonly ahead: readonly WaiterEntry[];
  /** The ready claims that are served before it. */
  readonly blocking: readonly WaiterEntry[];
  /** Somebody may enter now: this claim, or a claim in line. */
  readonly isFree: boolean;
  readonly mayEnter: boolean;
}

/** The place of a claim. A claim that is not in line has the place of the last in line. */
export function placeOf({ document }: Pick<Seen, "document">, candidate: Candidate): Place {
  const { claimant, rank } = candidate;
  const own = document.line.find(({ id }) => id === claimant.id);
  const { ready: _, ...self } = own ?? { ...claimant, ...rank, joined: "" };
  const others = document.line.map((each) => (each === own ? self : each));
  const line = own === undefined ? [...others, self] : others;
  const before = (order: readonly WaiterEntry[]) => order.slice(0, order.indexOf(self));
  const ahead = before(inOrder(line));
  const able = entering({ ...document, line });
  return {
    isInLine: own !== undefined,
    ahead,
    blocking: line.every(isReady) ? ahead : before(readyInOrder(line)),
    isFree: able.length > 0,
    mayEnter: candidate.isReady && able.includes(self),
  };
}
