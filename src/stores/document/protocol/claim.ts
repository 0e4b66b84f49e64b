import { isLockError, LockError, superseded } from "../../../lock/errors.ts";
import type { ReclaimReason } from "../../../lock/reclaim.ts";
import { heavierThanRun, resourcesMismatch, slotsMismatch } from "../../../lock/request.ts";
import type { Freeze } from "../../../lock/status.ts";
import { quote } from "../../../lock/text.ts";
import { freezeAt, type HolderEntry } from "../document.ts";
import { GROWTH_BYTES_LIMIT } from "../format.ts";
import { holdOfRun, join, type Reclaim, share, sign, take } from "../operations/claim.ts";
import { bury, leave } from "../operations/end.ts";
import { seal, thaw } from "../operations/keep.ts";
import { isRefusal, type Outcome, type Refusal } from "../operations/state.ts";
import type { Timing } from "../timing.ts";
import { byClaim, moment, renewSteps } from "./hold.ts";
import { type Judgement, judge, livesOfLine } from "./judge.ts";
import { pauseOf } from "./pause.ts";
import { type Candidate, placeOf } from "./place.ts";
import { amend, Cancelled, look, lookAgain, type Seen, type Tries, write } from "./swap.ts";
import { decide, type Move, overdueTurn, type Waiting } from "./turn.ts";
import { type Steps, step } from "./world.ts";

/** A grant that is older than this part of its holder's dead-after is too old to be used as it is. */
const LATE_AT = 1 / 2;

/** A claim under way: what was asked for, and what it has seen and tried so far. */
export interface Claim extends Candidate {
  readonly key: string;
  /** Becomes true when a wait says so. */
  isReady: boolean;
  /** A newer claim with `newest` ends it while it waits. */
  readonly newest: boolean;
  /** The register wakes waiting claims, so a look is worth a strong read. Else a strong read costs a budget. */
  readonly pushes: boolean;
  readonly timing: Timing;
  /** Monotonic milliseconds at which it began. */
  readonly started: number;
  readonly tries: Tries;
  /** It could not leave the line, since the register was away: leaving has to be tried again. */
  isStranded: boolean;
}

/** What a granted claim holds. */
export interface Grant {
  readonly holder: HolderEntry;
  readonly seen: Seen;
  /** Monotonic milliseconds at which it was not yet granted: its ttl counts from then. */
  readonly notBefore: number;
  readonly reclaimed: { readonly from: string; readonly reason: ReclaimReason } | null;
}

/** Waits in line until granted. Null if it was cancelled or may not wait; it has left the line then. */
export function* claimSteps(claim: Claim): Steps<Grant | null> {
  let grant: Grant | null = null;
  try {
    yield* step("phase", "starting");
    grant = yield* pursue(claim);
  } catch (error) {
    if (error instanceof Cancelled) return null;
    // Nobody answers: the caller should hear that now, not after one more try.
    claim.isStranded = claim.tries.any && isLockError(error, "STORE_UNREACHABLE");
    throw error;
  } finally {
    if (grant === null && claim.tries.any && !claim.isStranded) {
      yield* step("phase", "ending");
      try {
        yield* leaveSteps(claim);
      } catch {
        // The caller needs to know why the claim ended, more than that its place in line is still there.
        claim.isStranded = true;
      }
    }
  }
  return grant;
}

function* pursue(claim: Claim): Steps<Grant | null> {
  const { key, observations, tries } = claim;
  let seen = yield* look(key, false);
  let notBefore = seen.before;
  let wasInLine = false;
  let trouble: string | null = null;
  let buried: Grant["reclaimed"] = null;
  for (let lost = 0; ; ) {
    if (!seen.strong && observations.isOlder(seen.document)) seen = yield* look(key, true);
    observations.see(seen, freezeAt(seen.document, yield* step("now")) !== null);
    const place = placeOf(seen, claim);
    const judged = yield* judge(seen, claim, place, observations, claim.timing);
    observations.seeOverdue(overdueTurn(seen, judged), seen);
    const move = decide(seen, claim, judged, place);
    const mayWait = !claim.isReady || claim.mayWait;
    const isInLine = move.kind === "stand" && move.standing.isInLine;
    const enters = move.kind === "stand" || move.kind === "take";
    const isAnew = enters && wasInLine && !place.isInLine;
    if (!seen.strong && (isAnew || isConclusion(move, mayWait))) {
      seen = yield* look(key, true);
      continue;
    }
    if (move.kind !== "granted") notBefore = seen.before;
    if (move.kind === "superseded") throw superseded(key, move.by.by, move.by.url);
    if (move.kind === "granted") {
      const found = { holder: move.holder, seen, notBefore, reclaimed: buried };
      const grant = yield* confirmed(claim, found);
      if (grant !== null) return grant;
      seen = yield* look(key, true);
      continue;
    }
    if (move.kind === "stand" && (isInLine || !mayWait)) {
      if (!mayWait) {
        yield* refuse(claim, seen, move, judged);
        return null;
      }
      wasInLine = true;
      if (yield* wait(claim, seen, move.standing, judged, trouble)) return null;
      trouble = null;
      lost = 0;
      seen = yield* look(key, claim.pushes);
      continue;
    }
    if (isAnew) {
      checkNewer(claim, seen);
      trouble = "its place in line was lost, and it joined again";
    }
    const next = yield* proposed(claim, seen, move);
    if (isRefusal(next)) {
      const isFull = next.refused === "full" && isDoubtful(seen, judged);
      // What a lagging read says is no reason to fail.
      if (seen.strong && !isFull) throw refused(claim, next);
      // Some of a full line may be dead. A claim outside of it watches as those in line do.
      if (isFull && move.kind === "stand") {
        if (yield* wait(claim, seen, move.standing, judged, FULL)) return null;
      }
      seen = yield* look(key, !isFull || claim.pushes);
      continue;
    }
    const limit = move.kind === "stand" || move.kind === "take" ? GROWTH_BYTES_LIMIT : undefined;
    const written = yield* write(seen, next, tries, limit);
    if (written === null) {
      if ((yield* step("backOff", lost++)) === "cancelled") return null;
      seen = yield* lookAgain(key, seen);
    } else if (move.kind === "take" || move.kind === "share") {
      const reclaim = move.kind === "take" ? move.reclaim : [];
      const grant = granted(claim, seen, written, reclaimedOf(seen, reclaim) ?? buried);
      const stands = grant === null ? null : yield* confirmed(claim, grant);
      if (stands !== null) return stands;
      trouble = "its lock came too late and was taken by another claim";
      seen = yield* look(key, true);
    } else {
      if (move.kind === "bury") buried = reclaimedOf(seen, move.reclaim);
      seen = written;
    }
  }
}

/**
 * Whether some of a full line may be dead: the line is really full only if all of its claims are known to live.
 */
function isDoubtful({ document }: Seen, { alive }: Judgement): boolean {
  return document.line.some((waiter) => alive(waiter) !== true);
}

const FULL = "its line is full, and it waits for a place in it";

/**
 * Renews a grant that was a long time on its way: others may count its holder as dead by now. Null if they did;
 * then the claim joins the line again, since nothing has run under the grant.
 */
function* confirmed(claim: Claim, grant: Grant): Steps<Grant | null> {
  const { id, life, deadAfter } = grant.holder;
  if (life?.kind !== "heartbeat") return grant;
  let { holder, notBefore } = grant;
  for (;;) {
    const now = yield* step("monotonic");
    if (now - notBefore < deadAfter * LATE_AT) return { ...grant, holder, notBefore };
    const document = yield* renewSteps(claim.key, byClaim(id), true);
    const renewed = document?.holders.find((each) => each.id === id);
    if (renewed === undefined) return null;
    holder = renewed;
    notBefore = now;
  }
}

/**
 * Checks a claim that lost its place, before it joins again. It ended the older claims with `newest` when it
 * came. So such a claim that is in line now came later, and has ended this one.
 */
function checkNewer({ key, newest }: Claim, { document }: Seen): void {
  const newer = newest ? document.line.findLast((waiter) => waiter.newest) : undefined;
  if (newer === undefined) return;
  const { owner, metadata } = newer;
  throw superseded(key, owner, typeof metadata.run_url === "string" ? metadata.run_url : null);
}

/**
 * Whether a move concludes something without a swap that would fail if it were wrong: then it needs a strong
 * read.
 */
function isConclusion({ kind }: Move, mayWait: boolean): boolean {
  return kind === "granted" || kind === "superseded" || (kind === "stand" && !mayWait);
}

/** True: it was cancelled meanwhile. */
function* wait(
  claim: Claim,
  seen: Seen,
  standing: Waiting,
  judged: Judgement,
  trouble: string | null,
): Steps<boolean> {
  const { document, version } = seen;
  const { place, reviewAt } = standing;
  yield* step("phase", "waiting");
  yield* report(claim, seen, standing, judged, trouble);
  const { timing } = claim;
  // A claim that is not ready is told when it is: until then it is in no hurry.
  const turn = claim.isReady ? place : timing.poll.length;
  const pause = pauseOf(document, turn, judged.now, timing);
  const left = reviewAt === null ? pause : Math.min(pause, Math.max(1, reviewAt - seen.after));
  const wake = yield* step("wait", version, left);
  claim.isReady ||= wake === "ready";
  return wake === "cancelled";
}

function* report(
  claim: Claim,
  seen: Seen,
  { ahead }: Waiting,
  { alive }: Judgement,
  trouble: string | null,
): Steps<void> {
  const { document } = seen;
  const { weight = 1 } = claim.rank ?? {};
  const place = ahead.length;
  yield* step("report", { document, place, ahead, weight, alive, trouble });
}

/** Throws why a claim that may not wait got nothing, also if it could never have stood in line. */
function* refuse(
  claim: Claim,
  seen: Seen,
  move: Extract<Move, { kind: "stand" }>,
  judged: Judgement,
): Steps<void> {
  const next = yield* proposed(claim, seen, move);
  if (isRefusal(next) && (next.refused === "slots" || next.refused === "resources"))
    throw refused(claim, next);
  yield* report(claim, seen, move.standing, judged, null);
}

function* proposed(claim: Claim, { document }: Seen, move: Move): Steps<Outcome> {
  const { claimant, rank, slots, resources, newest, isReady } = claim;
  const now = yield* moment();
  if (move.kind === "share") {
    const held = holdOfRun(document, claimant)?.slots?.length ?? 1;
    const { weight = 1 } = rank ?? {};
    if (held < weight) throw heavierThanRun(claim.key, held, weight);
    return share(document, { claimant }, now);
  }
  if (move.kind === "take") {
    const waited = Math.max(0, Math.round((yield* step("monotonic")) - claim.started));
    return take(document, { claimant, rank, slots, resources, newest, waited, ...move }, now);
  }
  if (move.kind === "sign") return sign(document, claimant, now);
  if (move.kind === "thaw") {
    const { over } = move;
    const ends = (freeze: Freeze) => over.includes(freeze);
    return thaw(document, { by: claimant.owner, ends }, yield* livesOfLine(document), now);
  }
  if (move.kind === "bury") {
    const dead = { holders: move.reclaim, line: move.line, by: claimant.owner };
    return bury(document, dead, yield* livesOfLine(document), now);
  }
  const joined = new Date(now.now).toISOString();
  const waiter = {
    ...claimant,
    ...rank,
    joined,
    ...(newest ? { newest } : {}),
    ...(isReady ? {} : { ready: isReady }),
  };
  const drop = move.kind === "stand" ? move.drop : [];
  const limit = claim.timing.lineLimit;
  return join(document, { waiter, slots, resources, drop, limit }, now);
}

function granted(
  claim: Claim,
  before: Seen,
  seen: Seen,
  reclaimed: Grant["reclaimed"],
): Grant | null {
  const { id } = claim.claimant;
  const holder =
    seen.document.holders.find((each) => each.id === id) ??
    holdOfRun(seen.document, claim.claimant);
  // The lock was granted, and was taken from us before we could read that.
  if (holder === null) return null;
  return { holder, seen, notBefore: before.before, reclaimed };
}

function reclaimedOf({ document }: Seen, [first]: readonly Reclaim[]): Grant["reclaimed"] {
  const robbed = document.holders.find((each) => each.id === first?.id);
  if (first === undefined || robbed === undefined) return null;
  return { from: robbed.owner, reason: first.reason };
}

function refused({ key, slots, resources = null, timing }: Claim, refusal: Refusal): Error {
  switch (refusal.refused) {
    case "slots":
      return slotsMismatch(key, slots, refusal.present);
    case "resources":
      return resourcesMismatch(key, resources, refusal.present);
    case "full":
      return new LockError(
        "STORE_FULL",
        `${timing.lineLimit} claims wait for ${quote(key)} already, and its line takes no more: try again later.`,
      );
    default:
      return new LockError("INTERNAL", `A turn of ${quote(key)} was refused: ${refusal.refused}.`);
  }
}

/**
 * Leaves the line, and releases the lock if the claim was promoted in the meantime. If a swap of this claim may
 * still arrive, it is made impossible: it would take a lock that nobody holds.
 */
export function* leaveSteps(claim: Claim): Steps<void> {
  const { key, claimant, tries } = claim;
  yield* amend<void>(
    key,
    function* ({ document, version }) {
      const lives = yield* livesOfLine(document);
      const now = yield* moment();
      const next = leave(document, claimant, lives, now);
      if (!isRefusal(next)) return { next, result: undefined };
      return tries.mayArriveAt(version)
        ? { next: seal(document, now), result: undefined }
        : { settled: undefined };
    },
    tries,
  );
}
