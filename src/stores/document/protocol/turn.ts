import { decideReclaim, type ReclaimReason } from "../../../lock/reclaim.ts";
import type { Freeze } from "../../../lock/status.ts";
import {
  freeSlots,
  freezeAt,
  freezeLasts,
  type HolderEntry,
  type KeyDocument,
  type Superseded,
  untilTime,
  type WaiterEntry,
} from "../document.ts";
import { enter, type Reclaim, sharedBy } from "../operations/claim.ts";
import { entering, readyInOrder } from "../operations/line.ts";
import { isRefusal } from "../operations/state.ts";
import type { Judgement } from "./judge.ts";
import { type Candidate, type Place, placeOf } from "./place.ts";
import type { Seen } from "./swap.ts";

/** What a claim does next. */
export type Move =
  | { readonly kind: "granted"; readonly holder: HolderEntry }
  | { readonly kind: "share" }
  | { readonly kind: "superseded"; readonly by: Superseded }
  | {
      readonly kind: "take";
      readonly reclaim: readonly Reclaim[];
      readonly drop: readonly string[];
      readonly overtakes: boolean;
    }
  /**
   * Takes the lock from dead holders for those in line: their turn has then come, as all can see. Or removes
   * claims of the line that did not take their turn.
   */
  | {
      readonly kind: "bury";
      readonly reclaim: readonly Reclaim[];
      readonly line: readonly string[];
    }
  /** Ends freezes whose time is over, as this process has watched it. */
  | { readonly kind: "thaw"; readonly over: readonly Freeze[] }
  /** Shows the claims behind it that it lives, and that it is ready. */
  | { readonly kind: "sign" }
  | { readonly kind: "stand"; readonly drop: readonly string[]; readonly standing: Waiting };

export interface Waiting {
  readonly isInLine: boolean;
  /** The claims before it that are not known to be dead, in the order that people are told. */
  readonly ahead: readonly WaiterEntry[];
  /** How many of them are ready, and so are in its way. */
  readonly place: number;
  /** Monotonic milliseconds at which it may be its turn without any change; null: never. */
  readonly reviewAt: number | null;
}

/** Whose turn it is, as one claim sees it. Pure. */
export function decide(
  seen: Seen,
  candidate: Candidate,
  judged: Judgement,
  { isInLine, ...place }: Place = placeOf(seen, candidate),
): Move {
  const { claimant, observations, mayWait } = candidate;
  const { document } = seen;
  const holder = document.holders.find(({ id }) => id === claimant.id);
  if (holder !== undefined) return { kind: "granted", holder };
  const shared = candidate.isReady ? sharedBy(document, claimant, judged) : null;
  if (shared !== null && !isOverOf(shared, judged)) return { kind: "share" };
  const newer = document.superseded.find(({ id }) => id === claimant.id);
  if (newer !== undefined && !isInLine) return { kind: "superseded", by: newer };

  const isLeft = (entry: WaiterEntry) => judged.alive(entry) !== false;
  const dead = [...new Set([...place.ahead, ...place.blocking])]
    .filter((entry) => !isLeft(entry))
    .map(({ id }) => id);
  const blocking = place.blocking.filter(isLeft);
  const stand = (...reviews: readonly (number | null)[]): Move => {
    const ahead = place.ahead.filter(isLeft);
    const standing = { isInLine, ahead, place: blocking.length, reviewAt: earliest(...reviews) };
    return { kind: "stand", drop: dead, standing };
  };
  const { grace, lineLimit } = candidate.timing;
  const isOutside = !isInLine && document.line.length - dead.length >= lineLimit;
  // A claim that is not ready takes nothing. If the line is full, it makes room there as others do.
  if (!candidate.isReady && !isOutside) return stand();

  const overtakes = isEmergency(candidate);
  const reclaim = reclaimable(document, candidate, judged);
  const mayTake = (drop: readonly string[]) => {
    if (!candidate.isReady) return false;
    const outcome = enter(document, { ...candidate, reclaim, drop, overtakes }, judged);
    // If it asks for other slots than the key has, it learns that when it tries.
    return !isRefusal(outcome) || outcome.refused === "slots" || outcome.refused === "resources";
  };
  if (mayTake(dead)) return { kind: "take", reclaim, drop: dead, overtakes };
  const own = document.line.find(({ id }) => id === claimant.id);
  if (mayWait && own?.ready === false) return { kind: "sign" };

  const isOver = (time: number | null) => time !== null && seen.before >= time;
  const endOf = (freeze: Freeze, ends: string | undefined) => {
    const left = untilTime(ends, judged);
    // Without one clock for all, the freeze's time counts from when this process first saw it.
    return left === null
      ? after(observations.frozenSince(freeze), freezeLasts(freeze))
      : seen.before + left;
  };
  const frozen = freezeAt(document, judged);
  const freezes = (document.frozenSlots ?? []).map((each) => ({
    freeze: each as Freeze,
    endsAt: endOf(each, each.ends),
  }));
  if (frozen !== null)
    freezes.unshift({ freeze: frozen, endsAt: endOf(frozen, document.freezeEnds) });
  const over = freezes.filter(({ endsAt }) => isOver(endsAt)).map(({ freeze }) => freeze);
  if (over.length > 0) return { kind: "thaw", over };
  const thawsAt = earliest(...freezes.map(({ endsAt }) => endsAt));
  if (frozen !== null) return stand(thawsAt);

  if (!isInLine && !isOutside) return stand(judged.reviewAt, thawsAt);
  if (entering(document).length === 0) {
    const gone = reclaim.filter(({ reason }) => OF_THE_DEAD.includes(reason));
    const buriesAt = gone.length === 0 ? null : after(observations.overdueSince, grace * SIGN_AT);
    if (isOver(buriesAt)) return { kind: "bury", reclaim: gone, line: [] };
    return stand(judged.reviewAt, thawsAt, buriesAt);
  }
  const takesAt = blocking.length === 0 ? null : after(observations.quietSince(blocking), grace);
  if (isOver(takesAt)) {
    const drop = [...dead, ...blocking.map(({ id }) => id)];
    if (mayTake(drop)) return { kind: "take", reclaim, drop, overtakes };
    // It does not fit yet, but nobody else should wait for those claims.
    return { kind: "bury", reclaim: [], line: drop };
  }
  const last = readyInOrder(document.line).at(-1)?.id;
  const isLast = last === claimant.id && document.line.length < lineLimit;
  const signsAt = isInLine && !isLast ? signTime(candidate, blocking) : null;
  if (isOver(signsAt)) return { kind: "sign" };
  return stand(judged.reviewAt, thawsAt, takesAt, signsAt);
}

/**
 * The part of the grace after which a claim in line shows that it lives, if a turn before its own is left
 * untaken. It is later than the first in line mostly takes its turn. It is so early that the claims behind it
 * see the sign within the grace, even if it noticed the turn one sleep later than they did.
 */
const SIGN_AT = 1 / 5;
/** How long its own sign, or that of a claim before it, counts: a part of the grace. */
const SIGN_LASTS = 1 / 3;

/** When a claim has to show that it lives. A sign of one claim speaks for all behind it. */
function signTime({ claimant, observations, timing }: Candidate, ahead: readonly WaiterEntry[]) {
  const signed = observations.signed([...ahead, claimant]);
  if (signed !== null) return signed + timing.grace * SIGN_LASTS;
  return after(observations.untakenSince, timing.grace * SIGN_AT);
}

/**
 * Names the turn of the next in line if it has come because the holders may be reclaimed. Null if somebody may
 * enter already, or nobody may be reclaimed. Only holders that everybody may reclaim count.
 */
export function overdueTurn({ document }: Seen, judged: Judgement): string | null {
  const isFrozen = freezeAt(document, judged) !== null;
  if (document.line.length === 0 || isFrozen || entering(document).length > 0) return null;
  const over = document.holders.filter((holder) => isOverOf(holder, judged));
  const [first] = over.length === 0 ? [] : entering(without(document, over));
  return first === undefined ? null : [first.id, ...over.map(({ id }) => id)].join(" ");
}

function without(document: KeyDocument, gone: readonly { readonly id: string }[]): KeyDocument {
  const ids = new Set(gone.map(({ id }) => id));
  return { ...document, holders: document.holders.filter(({ id }) => !ids.has(id)) };
}

function isOverOf(holder: HolderEntry, { vitality }: Judgement): boolean {
  return ["dead", "expired"].includes(vitality(holder));
}

/** Whether the claim is an emergency that may override the holder: it is served before those who wait. */
function isEmergency({ claimant, allowed }: Candidate): boolean {
  return allowed.includes("EMERGENCY_OVERRIDE") && claimant.metadata.purpose === "emergency";
}

const OF_THE_DEAD: readonly ReclaimReason[] = ["LOCK_EXPIRED", "HOLDER_DEAD"];

/** All dead holders and, if the claim does not fit then, as many living ones as it may rob until it fits. */
function reclaimable(
  document: KeyDocument,
  { claimant, rank, allowed }: Candidate,
  judged: Judgement,
): Reclaim[] {
  const found = document.holders.flatMap((holder) => {
    const vitality = judged.vitality(holder);
    const { id, metadata } = holder;
    const decision = decideReclaim(
      { vitality, metadata },
      { metadata: claimant.metadata, allowed },
    );
    return decision.canReclaim
      ? [{ id, reason: decision.reason, isDead: isOverOf(holder, judged) }]
      : [];
  });
  const dead = found.filter(({ isDead }) => isDead);
  const fits = (gone: typeof found) => freeSlots(without(document, gone)) >= (rank?.weight ?? 1);
  let chosen = dead;
  for (const other of found.filter(({ isDead }) => !isDead))
    if (!fits(chosen)) chosen = [...chosen, other];
  // Nobody is robbed in vain.
  return (fits(chosen) ? chosen : dead).map(({ id, reason }) => ({ id, reason }));
}

/** That much later; null if there was no such time. */
function after(time: number | null, duration: number | null): number | null {
  return time === null || duration === null ? null : time + duration;
}

function earliest(...times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : Math.min(...known);
}
