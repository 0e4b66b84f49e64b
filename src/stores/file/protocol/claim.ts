import { decideReclaim } from "../../../lock/reclaim.ts";
import { slotsMismatch } from "../../../lock/request.ts";
import type { ForgeRun } from "../../../lock/store.ts";
import { slotPath } from "../disk/place.ts";
import { lineOf } from "../format/ticket.ts";
import { finishBurials } from "./end/burial.ts";
import { type Examined, examineSlot } from "./examine.ts";
import { type Memory, recall } from "./fence-file.ts";
import { lookForFreeze } from "./freeze.ts";
import { nextLook } from "./judge.ts";
import {
  type Ahead,
  type Claim,
  joinLine,
  type Line,
  leaveLine,
  noteTurn,
  passOver,
  pruneLine,
  watchLine,
} from "./line.ts";
import { shareHold } from "./run.ts";
import { type Grant, type Reclaim, recordAndBury, take } from "./take.ts";
import { type Steps, step, type Watch } from "./world.ts";

/**
 * How often the first in line looks whether the holder lives. A killed process fires no event, and
 * the next one should not lose a second to that; one look costs some 10 µs.
 */
const HOLDER_POLL_MS = 25;
/** How often the other waiters look whether the one before them lives. */
const LINE_POLL_MS = 1_000;

/** How often the second in line looks whether the first takes its turn, and how often the others do. */
const TURN_POLL_MS = 1_000;
const FAR_TURN_POLL_MS = 10_000;

/** Waits in line until granted; null where it was cancelled, or may not wait. The line is left then. */
export function* claimSteps(claim: Claim): Steps<Grant | null> {
  let isOverdue = false;
  try {
    for (;;) {
      if ((yield* step("enter", claim.place.guard)) === "cancelled") return null;
      let outcome: Outcome;
      try {
        outcome = yield* claimOnce(claim);
      } finally {
        yield* step("leave", claim.place.guard);
      }
      if (outcome.state === "granted") return outcome.grant;
      if (!claim.mayWait) {
        // One more look, where the forge says that the run which holds the lock is over.
        if (isOverdue || !(yield* isAnyOver(outcome.runs))) return null;
        isOverdue = true;
        continue;
      }
      for (const run of outcome.runs) yield* step("askForge", run, false);
      if ((yield* step("wait", outcome.watch)) === "cancelled") return null;
    }
  } finally {
    // Without the guard, on purpose: leaving the line must also work when a stopped process sits in
    // the guard, and one file's removal is one step. The next in line watches that file.
    yield* leaveLine(claim);
  }
}

/** Asks outside of the guard, since that takes its time. */
function* isAnyOver(runs: readonly ForgeRun[]): Steps<boolean> {
  for (const run of runs) if ((yield* step("askForge", run, true)) === false) return true;
  return false;
}

type Outcome =
  | { state: "granted"; grant: Grant }
  /** `runs`: those that hold the lock and whose forge can be asked, where this claim is the next. */
  | { state: "waiting"; watch: Watch; runs: readonly ForgeRun[] };

/** Claims once, under the guard: takes the lock if it is this claim's turn, else stands in line. */
function* claimOnce(claim: Claim): Steps<Outcome> {
  const names = yield* step("list", claim.place.side);
  yield* finishBurials(claim.place, names, claim.rules, claim.sightings);
  let line = yield* pruneLine(claim, lineOf(names));
  const shared = claim.run === null ? null : yield* shareHold(claim);
  if (shared !== null) {
    yield* leaveLine(claim);
    return { state: "granted", grant: shared };
  }
  if (line.first !== null && claim.ticket === null) checkSlots(claim, line.first.slots);
  const frozen = yield* lookForFreeze(claim.place, names);
  const isFrozen = frozen !== null;
  let turn = yield* reviewTurn(claim, line, isFrozen);
  while (turn === "missed") {
    line = yield* passOver(claim, line, line.first as Ahead);
    turn = yield* reviewTurn(claim, line, isFrozen);
  }

  let watch = line.ahead === null ? null : watchAhead(line.ahead, turn);
  let runs: readonly ForgeRun[] = [];
  if (frozen !== null) watch ??= { ...LOOK_AGAIN, ...frozen.watch };
  else if (watch === null || overrides(claim)) {
    const outcome = yield* claimSlot(claim);
    if (outcome.state === "granted") return outcome;
    watch ??= outcome.watch;
    runs = outcome.runs;
  }
  if (claim.mayWait) yield* joinLine(claim, names);
  watch = withOwnTicket(yield* withRun(watch, claim), claim);
  return { state: "waiting", watch, runs };
}

/**
 * Looks whether the first in line misses its turn, and tells when to look again. A process of this
 * machine that runs takes its turn within milliseconds, and one that ended is pruned; but a stopped one
 * exists and does nothing. So from the moment at which the lock was seen to be free its ticket's beat
 * counts, as it does for a waiter elsewhere.
 */
function* reviewTurn(
  claim: Claim,
  { first, ahead, between }: Line,
  isFrozen: boolean,
): Steps<number | "missed" | null> {
  // A waiter elsewhere is judged by its beat from the start.
  if (first?.alive !== true) return null;
  const hasCome = claim.ticket !== null && !isFrozen && (yield* isFree(claim));
  const monotonic = yield* step("monotonic");
  const since = noteTurn(claim, hasCome ? first : { ...first, beat: NOT_YET }, monotonic);
  if (hasCome && monotonic - since >= first.deadAfter) return "missed";
  if (hasCome) {
    // Those behind it may be stopped as well.
    yield* watchLine(claim, between);
    return nextLook(since, first.deadAfter, monotonic);
  }
  const often = first === ahead ? TURN_POLL_MS : FAR_TURN_POLL_MS;
  return monotonic + Math.min(often, first.deadAfter / 3);
}

/** In place of a beat: no turn has come. */
const NOT_YET = -1;

/** Whether any claim could have the lock now. */
function* isFree(claim: Claim): Steps<boolean> {
  const { free, reclaim } = yield* lookAtSlots(claim, yield* recall(claim.place));
  return free !== null || reclaim?.reason === "HOLDER_DEAD" || reclaim?.reason === "LOCK_EXPIRED";
}

/** Whether the claim is an emergency that may override the holder: it does not queue up behind others. */
function overrides(claim: Claim): boolean {
  return (
    claim.allowed.includes("EMERGENCY_OVERRIDE") && claim.owner.metadata.purpose === "emergency"
  );
}

/** Takes a free slot, else one that may be reclaimed, else tells what to watch. */
function* claimSlot(claim: Claim): Steps<Outcome> {
  const memory = yield* recall(claim.place);
  const slots = yield* lookAtSlots(claim, memory);
  const slot = slots.free ?? slots.reclaim?.lock.slot;
  if (slot === undefined)
    return { state: "waiting", watch: watchHolders(slots.held), runs: forgesOf(slots.held) };
  for (const lock of slots.surplus) yield* recordAndBury(claim, lock);
  const grant = yield* take(claim, memory, slot, slots.free === null ? slots.reclaim : null);
  if (grant === null) return { state: "waiting", watch: LOOK_AGAIN, runs: [] };
  return { state: "granted", grant };
}

interface Slots {
  free: number | null;
  reclaim: Reclaim | null;
  held: Examined[];
  /** Dead locks beyond this claim's slots, from a time when the key had more. */
  surplus: Reclaim[];
}

function* lookAtSlots(claim: Claim, memory: Memory): Steps<Slots> {
  const slots: Slots = { free: null, reclaim: null, held: [], surplus: [] };
  for (let slot = 0; slot < Math.max(claim.slots, memory.slots); slot++) {
    const lock = yield* examineSlot(claim.place, slot, claim.rules, claim.sightings);
    if (lock === null) {
      if (slot < claim.slots) slots.free ??= slot;
      continue;
    }
    const decision = decideReclaim(
      { vitality: lock.verdict.vitality, metadata: metadataOf(lock) },
      { metadata: claim.owner.metadata, allowed: claim.allowed },
    );
    if (!decision.canReclaim) {
      if (lock.record.kind === "holdfast") checkSlots(claim, lock.record.slots);
      slots.held.push(lock);
      continue;
    }
    const reclaim = { lock, reason: decision.reason, priority: decision.priority };
    if (slot >= claim.slots) slots.surplus.push(reclaim);
    else if (
      slots.reclaim === null ||
      (reclaim.priority === "high" && slots.reclaim.priority !== "high")
    )
      slots.reclaim = reclaim;
  }
  return slots;
}

function forgesOf(held: readonly Examined[]): ForgeRun[] {
  return held.flatMap(({ record }) =>
    record.kind === "holdfast" ? (record.run?.forge ?? []) : [],
  );
}

function metadataOf(lock: Examined) {
  return lock.record.kind === "holdfast" || lock.record.kind === "policy"
    ? lock.record.metadata
    : {};
}

function checkSlots(claim: Claim, present: number): void {
  if (present !== claim.slots) throw slotsMismatch(claim.place.key, claim.slots, present);
}

const LOOK_AGAIN: Watch = { files: [], processes: [], every: HOLDER_POLL_MS, reviewAt: 0 };

function watchHolders(held: readonly Examined[]): Watch {
  const reviews = held.flatMap((lock) => lock.verdict.reviewAt ?? []);
  return {
    files: held.map((lock) => ({ path: lock.path, inode: lock.view.inode })),
    processes: held.flatMap((lock) => lock.verdict.living),
    every: HOLDER_POLL_MS,
    reviewAt: reviews.length === 0 ? null : Math.min(...reviews),
  };
}

function watchAhead(ahead: Ahead, turn: number | null): Watch {
  const reviews = [ahead.reviewAt, turn].filter((at) => at !== null);
  return {
    files: [{ path: ahead.path, inode: ahead.inode }],
    processes: [ahead.process],
    every: LINE_POLL_MS,
    reviewAt: reviews.length === 0 ? null : Math.min(...reviews),
  };
}

/** A claim that was passed over while its process was stopped finds that out by its ticket. */
function withOwnTicket(watch: Watch, { ticket }: Claim): Watch {
  if (ticket === null) return watch;
  const own = { path: ticket.path, inode: ticket.descriptor.inode };
  return { ...watch, files: [...watch.files, own] };
}

/** A claim whose run comes to hold the lock shares it, wherever it stands: so it watches the locks. */
function* withRun(watch: Watch, { run, place, slots }: Claim): Steps<Watch> {
  if (run === null) return watch;
  const files = [...watch.files];
  for (let slot = 0; slot < slots; slot++) {
    const path = slotPath(place, slot);
    files.push({ path, inode: yield* step("inode", path) });
  }
  return { ...watch, files };
}
