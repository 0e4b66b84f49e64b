import { decideReclaim, type ReclaimReason } from "../../../lock/reclaim.ts";
import {
  type Claimant,
  freeSlots,
  freezeAt,
  type HolderEntry,
  type Superseded,
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
  readonly timing: Pick<Timing, "grace">;
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
  const shared = sharedBy(document, claimant, judged.now);
  if (shared !== null && judged.vitality(shared) !== "dead") return { kind: "share" };
  const isInLine = document.line.some(({ id }) => id === claimant.id);
  const newer = document.superseded.find(({ id }) => id === claimant.id);
  if (newer !== undefined && !isInLine) return { kind: "superseded", by: newer };

  const before = aheadOf(seen, claimant.id);
  const gone = before.filter((entry) => judged.alive(entry) === false);
  const dead = gone.map(({ id }) => id);
  const ahead = before.filter(({ id }) => !dead.includes(id));
  const frozen = freezeAt(document, judged.now);
  const thawsAt =
    frozen?.until == null ? null : seen.before + Date.parse(frozen.until) - judged.now;
  if (frozen !== null) return stand(dead, { isInLine, ahead, reviewAt: thawsAt });

  const free = freeSlots(document);
  const overtakes = isEmergency(candidate);
  const reclaim = reclaimable(document.holders, candidate, judged, free);
  const open = free + reclaim.length;
  // Where a key's slots may change with this claim, it has at least one.
  const mayPass = overtakes || (isInLine ? ahead.length < open : ahead.length === 0);
  if (open > 0 && mayPass) return { kind: "take", reclaim, drop: dead, overtakes };

  // The turn of those before it: each place waits one grace longer, so that they do not rob each other.
  const untaken = free > 0 ? sightings.untakenSince : sightings.overdueSince;
  // Where those before them had died, it is their turn only since that is known, and they may hear later.
  const since = isInLine && open > 0 ? latest(untaken, sightings.foundDead(gone)) : null;
  const late = ahead.length - open + 1;
  const patience = since === null ? null : since + candidate.timing.grace * late;
  if (patience !== null && seen.before >= patience) {
    const absent = ahead.slice(0, late).map(({ id }) => id);
    return { kind: "take", reclaim, drop: [...dead, ...absent], overtakes };
  }
  return stand(dead, { isInLine, ahead, reviewAt: earliest(judged.reviewAt, patience) });
}

/**
 * Names the turn of the first in line where it has come because the holders may be reclaimed; null
 * where a slot is free, or nobody may be. Only who may be reclaimed by everybody counts.
 */
export function overdueTurn({ document }: Seen, judged: Judgement): string | null {
  const first = document.line[0];
  const isFrozen = freezeAt(document, judged.now) !== null;
  if (first === undefined || isFrozen || freeSlots(document) > 0) return null;
  const over = document.holders.filter((holder) =>
    ["dead", "expired"].includes(judged.vitality(holder)),
  );
  return over.length === 0 ? null : [first.id, ...over.map(({ id }) => id)].join(" ");
}

function stand(drop: readonly string[], standing: Waiting): Move {
  return { kind: "stand", drop, standing };
}

/** An emergency that may override the holder does not queue up behind those who wait for it. */
function isEmergency({ claimant, allowed }: Candidate): boolean {
  return allowed.includes("EMERGENCY_OVERRIDE") && claimant.metadata.purpose === "emergency";
}

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

/** The later of them; null where the first is. */
function latest(time: number | null, other: number | null): number | null {
  return time === null || other === null ? time : Math.max(time, other);
}

function earliest(...times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : Math.min(...known);
}
