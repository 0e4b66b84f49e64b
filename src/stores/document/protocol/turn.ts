import { decideReclaim, type ReclaimReason } from "../../../lock/reclaim.ts";
import {
  type Claimant,
  freeSlots,
  freezeAt,
  freezeLasts,
  type HolderEntry,
  type Superseded,
  untilTime,
  type WaiterEntry,
} from "../document.ts";
import { type Reclaim, sharedBy } from "../operations/claim.ts";
import type { Timing } from "../timing.ts";
import type { Judgement } from "./judge.ts";
import type { Sightings } from "./sightings.ts";
import type { Seen } from "./swap.ts";

/** Who claims, as far as its turn depends on it. */
export interface Candidate {
  readonly claimant: Claimant;
  readonly allowed: readonly ReclaimReason[];
  readonly sightings: Sightings;
  readonly timing: Pick<Timing, "grace" | "lineLimit">;
}

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
  /** Takes the lock from dead holders, for those in line: their turn has then come, as all can see. */
  | { readonly kind: "bury"; readonly reclaim: readonly Reclaim[] }
  /** Ends a freeze whose time is over, as this process has watched it. */
  | { readonly kind: "thaw" }
  /** Shows those behind it that it lives. */
  | { readonly kind: "sign" }
  | { readonly kind: "stand"; readonly drop: readonly string[]; readonly standing: Waiting };

export interface Waiting {
  readonly isInLine: boolean;
  /** Those before it of which it is not known that they are dead. */
  readonly ahead: readonly WaiterEntry[];
  /** Monotonic milliseconds at which it may be its turn without any change; null: never. */
  readonly reviewAt: number | null;
}

/** Those in line before a claim: all of them where it is not in line itself. */
export function aheadOf(seen: Seen, claim: string): readonly WaiterEntry[] {
  const { line } = seen.document;
  const place = line.findIndex(({ id }) => id === claim);
  return place === -1 ? line : line.slice(0, place);
}

/** Whose turn it is, as one claim sees it. Pure. */
export function decide(seen: Seen, candidate: Candidate, judged: Judgement): Move {
  const { claimant, sightings } = candidate;
  const { document } = seen;
  const holder = document.holders.find(({ id }) => id === claimant.id);
  if (holder !== undefined) return { kind: "granted", holder };
  const shared = sharedBy(document, claimant, judged);
  if (shared !== null && !isOverOf(shared, judged)) return { kind: "share" };
  const isInLine = document.line.some(({ id }) => id === claimant.id);
  const newer = document.superseded.find(({ id }) => id === claimant.id);
  if (newer !== undefined && !isInLine) return { kind: "superseded", by: newer };

  const before = aheadOf(seen, claimant.id);
  const dead = before.filter((entry) => judged.alive(entry) === false).map(({ id }) => id);
  const ahead = before.filter(({ id }) => !dead.includes(id));
  const frozen = freezeAt(document, judged);
  if (frozen !== null) {
    const left = untilTime(document.freezeEnds, judged);
    // Where no clock is the same for all, its time counts from when this process first saw it.
    const watched = left === null ? after(sightings.frozenSince, freezeLasts(frozen)) : null;
    if (isInLine && watched !== null && seen.before >= watched) return { kind: "thaw" };
    const reviewAt = left === null ? watched : seen.before + left;
    return stand(dead, { isInLine, ahead, reviewAt });
  }

  const free = freeSlots(document);
  const overtakes = isEmergency(candidate);
  const reclaim = reclaimable(document.holders, candidate, judged, free);
  const open = free + reclaim.length;
  // Where a key's slots may change with this claim, it has at least one.
  const mayPass = overtakes || (isInLine ? ahead.length < open : ahead.length === 0);
  if (open > 0 && mayPass) return { kind: "take", reclaim, drop: dead, overtakes };

  const isOver = (time: number | null) => time !== null && seen.before >= time;
  const { grace, lineLimit } = candidate.timing;
  const isOutside = !isInLine && document.line.length - dead.length >= lineLimit;
  const watches = isInLine || isOutside;
  if (!watches || open === 0) return stand(dead, { isInLine, ahead, reviewAt: judged.reviewAt });
  if (free === 0) {
    const over = reclaim.filter(({ reason }) => OF_THE_DEAD.includes(reason));
    const buriesAt = over.length === 0 ? null : after(sightings.overdueSince, grace * SIGN_AT);
    if (isOver(buriesAt)) return { kind: "bury", reclaim: over };
    return stand(dead, { isInLine, ahead, reviewAt: earliest(judged.reviewAt, buriesAt) });
  }
  const takesAt = after(sightings.quietSince(ahead), grace);
  if (isOver(takesAt)) {
    return { kind: "take", reclaim, drop: before.map(({ id }) => id), overtakes };
  }
  const isLast = document.line.at(-1)?.id === claimant.id && document.line.length < lineLimit;
  const signsAt = isInLine && !isLast ? signTime(candidate, ahead) : null;
  if (isOver(signsAt)) return { kind: "sign" };
  return stand(dead, { isInLine, ahead, reviewAt: earliest(judged.reviewAt, takesAt, signsAt) });
}

/**
 * The part of the grace after which a claim in line shows that it lives, where a turn before its own
 * is left untaken: later than the first in line mostly takes it, and so early that those behind it
 * see it within the grace, though it may have seen the turn one sleep later than they did.
 */
const SIGN_AT = 1 / 5;
/** As a part of the grace: so long its sign, or that of a claim before it, is as good as its own. */
const SIGN_LASTS = 1 / 3;

/** When a claim has to show that it lives. One claim that does speaks for all behind it. */
function signTime({ claimant, sightings, timing }: Candidate, ahead: readonly WaiterEntry[]) {
  const signed = sightings.signed([...ahead, claimant]);
  if (signed !== null) return signed + timing.grace * SIGN_LASTS;
  return after(sightings.untakenSince, timing.grace * SIGN_AT);
}

/**
 * Names the turn of the first in line where it has come because the holders may be reclaimed; null
 * where a slot is free, or nobody may be. Only who may be reclaimed by everybody counts.
 */
export function overdueTurn({ document }: Seen, judged: Judgement): string | null {
  const first = document.line[0];
  const isFrozen = freezeAt(document, judged) !== null;
  if (first === undefined || isFrozen || freeSlots(document) > 0) return null;
  const over = document.holders.filter((holder) => isOverOf(holder, judged));
  return over.length === 0 ? null : [first.id, ...over.map(({ id }) => id)].join(" ");
}

function isOverOf(holder: HolderEntry, { vitality }: Judgement): boolean {
  return ["dead", "expired"].includes(vitality(holder));
}

function stand(drop: readonly string[], standing: Waiting): Move {
  return { kind: "stand", drop, standing };
}

/** An emergency that may override the holder does not queue up behind those who wait for it. */
function isEmergency({ claimant, allowed }: Candidate): boolean {
  return allowed.includes("EMERGENCY_OVERRIDE") && claimant.metadata.purpose === "emergency";
}

const OF_THE_DEAD: readonly ReclaimReason[] = ["LOCK_EXPIRED", "HOLDER_DEAD"];

/** All holders that are dead, and where that opens no slot, one that this claim may rob. */
function reclaimable(
  holders: readonly HolderEntry[],
  { claimant, allowed }: Candidate,
  judged: Judgement,
  free: number,
): Reclaim[] {
  const found = holders.flatMap((holder) => {
    const vitality = judged.vitality(holder);
    const { metadata } = holder;
    const decision = decideReclaim(
      { vitality, metadata },
      { metadata: claimant.metadata, allowed },
    );
    if (!decision.canReclaim) return [];
    const isDead = vitality === "dead" || vitality === "expired";
    return [{ id: holder.id, reason: decision.reason, isDead }];
  });
  const dead = found.filter(({ isDead }) => isDead);
  const chosen = free + dead.length > 0 ? dead : found.slice(0, 1);
  return chosen.map(({ id, reason }) => ({ id, reason }));
}

/** So much later; null where it never was. */
function after(time: number | null, duration: number | null): number | null {
  return time === null || duration === null ? null : time + duration;
}

function earliest(...times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : Math.min(...known);
}
