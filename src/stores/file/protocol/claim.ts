import { decideReclaim } from "../../../lock/reclaim.ts";
import { resourcesMismatch, slotsMismatch } from "../../../lock/request.ts";
import { followNames, isSameResources } from "../../../lock/resources.ts";
import type { ForgeRun } from "../../../lock/store.ts";
import { slotPath } from "../disk/place.ts";
import { lineOf } from "../format/ticket.ts";
import { finishBurials, settleHolders } from "./end/burial.ts";
import { type Examined, heldBy, type Occupant } from "./examine.ts";
import { type Recalled, recall } from "./fence-file.ts";
import { type Frozen, lookForFreezes } from "./frozen.ts";
import { nextLook } from "./judge.ts";
import {
  type Ahead,
  askReadiness,
  type Claim,
  findPlace,
  joinLine,
  type Line,
  leaveLine,
  noteTurn,
  passOver,
  watchLine,
} from "./line.ts";
import { shareHold } from "./run.ts";
import { type Choice, type Grant, type Reclaim, take } from "./take.ts";
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

/** Waits in line until granted. Null if it was cancelled, or may not wait; it has left the line then. */
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
        // One more look, if the forge says that the run which holds the lock is over.
        if (isOverdue || !(yield* isAnyOver(outcome.runs))) return null;
        isOverdue = true;
        continue;
      }
      for (const run of outcome.runs) yield* step("askForge", run, false);
      if ((yield* step("wait", outcome.watch)) === "cancelled") return null;
    }
  } finally {
    // Without the guard, on purpose: leaving the line must also work while a stopped process is in the guard,
    // and one file's removal is one step. The next in line watches that file.
    yield* leaveLine(claim);
  }
}

/** Asks outside of the guard, since that takes time. */
function* isAnyOver(runs: readonly ForgeRun[]): Steps<boolean> {
  for (const run of runs) if ((yield* step("askForge", run, true)) === false) return true;
  return false;
}

type Outcome =
  | { state: "granted"; grant: Grant }
  /** `runs`: those that hold the lock and whose forge can be asked, if this claim is the next. */
  | { state: "waiting"; watch: Watch; runs: readonly ForgeRun[] };

/** Claims once, under the guard: takes the lock if it is this claim's turn, else stands in line. */
function* claimOnce(claim: Claim): Steps<Outcome> {
  let names: readonly string[] = yield* step("list", claim.place.side);
  yield* finishBurials(claim.place, names, claim.rules, claim.observations);
  if (!claim.isReady) names = yield* askReadiness(claim, names);
  let line = yield* findPlace(claim, lineOf(names));
  const shared = claim.run === null ? null : yield* shareHold(claim);
  if (shared !== null) {
    yield* leaveLine(claim);
    return { state: "granted", grant: shared };
  }
  if (claim.ticket === null && line.witness !== null) checkAgreement(claim, line.witness);
  const freezes = followNames(yield* lookForFreezes(claim.place, names), claim.resources);
  const isFrozen = freezes.some(({ slot }) => slot === null);
  let turn: number | "missed" | null = null;
  if (claim.isReady) {
    turn = yield* reviewTurn(claim, line, freezes);
    while (turn === "missed") {
      line = yield* passOver(claim, line, line.first as Ahead);
      turn = yield* reviewTurn(claim, line, freezes);
    }
  } else if (claim.ticket === null && line.witness === null) {
    // It takes nothing, but has to agree with the claims that hold.
    yield* lookAtSlots(claim, freezes);
  }

  let watch = claim.isReady ? watchLineOf(line, turn) : watchTerm(line);
  let runs: readonly ForgeRun[] = [];
  if (isFrozen) watch ??= watchFreezes({ ...LOOK_AGAIN, reviewAt: null }, freezes.slice(0, 1));
  else if (watch === null || (claim.isReady && overrides(claim))) {
    const outcome = yield* claimSlots(claim, line, freezes);
    if (outcome.state === "granted") return outcome;
    watch ??= outcome.watch;
    runs = outcome.runs;
  }
  if (claim.mayWait) yield* joinLine(claim, names);
  watch = withOwnTicket(yield* withRun(watch, claim), claim);
  return { state: "waiting", watch, runs };
}

/**
 * Looks whether the first in line misses its turn, and tells when to look again. A process of this machine that
 * runs takes its turn within milliseconds, and the ticket of one that ended is removed; but a stopped process
 * exists and does nothing. So once the lock was seen to be free, its ticket's beat counts, as it does for a
 * waiter elsewhere.
 */
function* reviewTurn(
  claim: Claim,
  line: Line,
  freezes: readonly Frozen[],
): Steps<number | "missed" | null> {
  const { first, ahead } = line;
  // A waiter elsewhere is judged by its beat from the start.
  if (first?.alive === null) yield* watchLine(claim, line);
  if (first?.alive !== true) return null;
  const hasCome = claim.ticket !== null && (yield* isFree(claim, first.weight, freezes));
  const monotonic = yield* step("monotonic");
  if (!hasCome) {
    claim.turns.forget();
    const often = first === ahead ? TURN_POLL_MS : FAR_TURN_POLL_MS;
    return monotonic + Math.min(often, first.deadAfter / 3);
  }
  const since = noteTurn(claim, first, monotonic);
  if (first.before - since >= first.deadAfter) return "missed";
  // The claims behind it may be stopped as well.
  yield* watchLine(claim, line);
  return nextLook(since, first.deadAfter, monotonic);
}

/** Whether any claim of that weight could have the lock now. */
function* isFree(claim: Claim, weight: number, freezes: readonly Frozen[]): Steps<boolean> {
  if (freezes.some(({ slot }) => slot === null)) return false;
  const { free, reclaims } = yield* lookAtSlots(claim, freezes);
  const dead = reclaims.filter(
    ({ reason }) => reason === "HOLDER_DEAD" || reason === "LOCK_EXPIRED",
  );
  return free.length + dead.flatMap(({ gives }) => gives).length >= weight;
}

/** Whether the claim is an emergency that may override the holder: it is served before others. */
function overrides(claim: Claim): boolean {
  return (
    claim.allowed.includes("EMERGENCY_OVERRIDE") && claim.owner.metadata.purpose === "emergency"
  );
}

/** Takes free slots and, if they are too few, slots that may be reclaimed; else tells what to watch. */
function* claimSlots(claim: Claim, line: Line, freezes: readonly Frozen[]): Steps<Outcome> {
  const slots = yield* lookAtSlots(claim, freezes);
  const chosen = choose(slots, claim.weight);
  if (chosen === null) {
    const watch = watchFreezes(watchHolders(slots.held), freezes);
    return { state: "waiting", watch, runs: forgesOf(slots.held) };
  }
  const grant = yield* take(claim, line, chosen);
  if (grant === null) return { state: "waiting", watch: LOOK_AGAIN, runs: [] };
  return { state: "granted", grant };
}

/**
 * The lowest free slots, and the holders whose slots have to be reclaimed for the rest; null: these are too few.
 */
function choose({ memory, free, reclaims }: Slots, weight: number): Choice | null {
  const slots = [...free];
  const needed: Reclaim[] = [];
  for (const priority of ["high", "medium"]) {
    for (const reclaim of reclaims) {
      if (slots.length >= weight || reclaim.priority !== priority) continue;
      needed.push(reclaim);
      slots.push(...reclaim.gives);
    }
  }
  if (slots.length < weight) return null;
  const lowest = slots.sort((one, other) => one - other).slice(0, weight);
  const surplus = reclaims.filter((each) => each.isSurplus && !needed.includes(each));
  return { memory, slots: lowest, reclaims: needed, surplus };
}

interface Slots {
  readonly memory: Recalled;
  readonly free: number[];
  readonly reclaims: Reclaim[];
  readonly held: Occupant[];
}

function* lookAtSlots(claim: Claim, freezes: readonly Frozen[]): Steps<Slots> {
  const { place, rules, observations } = claim;
  const memory = yield* recall(place);
  const end = Math.max(claim.slots, memory.slots);
  const holders = yield* settleHolders(place, end, rules, observations);
  const isGiven = (slot: number) =>
    slot < claim.slots && !freezes.some((frozen) => frozen.slot === slot);
  const taken = new Set(holders.flatMap(({ locks }) => locks.map(({ slot }) => slot)));
  const slots: Slots = { memory, free: [], reclaims: [], held: [] };
  for (let slot = 0; slot < claim.slots; slot++)
    if (!taken.has(slot) && isGiven(slot)) slots.free.push(slot);
  for (const holder of holders) {
    const { lock } = holder;
    const decision = decideReclaim(
      { vitality: lock.verdict.vitality, metadata: metadataOf(lock) },
      { metadata: claim.owner.metadata, allowed: claim.allowed },
    );
    if (!decision.canReclaim) {
      if (lock.record.kind === "holdfast") checkAgreement(claim, lock.record);
      slots.held.push(holder);
      continue;
    }
    const { reason, priority } = decision;
    const gives = heldBy(lock).filter(isGiven);
    const isSurplus = heldBy(lock).some((slot) => slot >= claim.slots);
    slots.reclaims.push({ holder, reason, priority, gives, isSurplus });
  }
  return slots;
}

function forgesOf(held: readonly Occupant[]): ForgeRun[] {
  return held.flatMap(({ lock: { record } }) =>
    record.kind === "holdfast" ? (record.run?.forge ?? []) : [],
  );
}

function metadataOf(lock: Examined) {
  return lock.record.kind === "holdfast" || lock.record.kind === "policy"
    ? lock.record.metadata
    : {};
}

/** All claims of a key agree about its slots as long as anybody holds or waits. */
function checkAgreement(
  { place, slots, resources }: Claim,
  present: { readonly slots: number; readonly resources?: readonly string[] | null },
): void {
  if (present.slots !== slots) throw slotsMismatch(place.key, slots, present.slots);
  const names = present.resources ?? null;
  if (!isSameResources(names, resources)) throw resourcesMismatch(place.key, resources, names);
}

const LOOK_AGAIN: Watch = { files: [], processes: [], every: HOLDER_POLL_MS, reviewAt: 0 };

function watchHolders(held: readonly Occupant[]): Watch {
  const locks = held.flatMap((holder) => holder.locks);
  return {
    files: locks.map(({ path, view }) => ({ path, inode: view.inode })),
    processes: held.flatMap(({ lock }) => lock.verdict.living),
    every: HOLDER_POLL_MS,
    reviewAt: earliest(held.map(({ lock }) => lock.verdict.reviewAt)),
  };
}

/** Freezes whose end wakes a claim that they keep waiting. */
function watchFreezes(watch: Watch, freezes: readonly Frozen[]): Watch {
  const ends = freezes.map((frozen) => frozen.watch);
  const files = [...watch.files, ...ends.map(({ file }) => file)];
  return {
    ...watch,
    files,
    reviewAt: earliest([watch.reviewAt, ...ends.map((end) => end.reviewAt)]),
  };
}

/**
 * The claim whose end this one waits for: the claim before it in the order of serving. Within a priority that is
 * the claim that came before it, which can only be served earlier. The first of a priority waits for the claim
 * that is served next, and watches who is passed, since that may put it in front of that claim.
 */
function watchLineOf(line: Line, turn: number | null): Watch | null {
  const { ahead, passes } = line;
  if (ahead === null) return null;
  return {
    files: [{ path: ahead.path, inode: ahead.inode }, ...passes],
    processes: [ahead.process],
    every: LINE_POLL_MS,
    reviewAt: earliest([ahead.reviewAt, line.reviewAt, turn]),
  };
}

/** A claim that is not ready waits for nobody. */
function watchTerm({ reviewAt }: Line): Watch {
  return { files: [], processes: [], every: LINE_POLL_MS, reviewAt, readiness: true };
}

function earliest(times: readonly (number | null)[]): number | null {
  const known = times.filter((at) => at !== null);
  return known.length === 0 ? null : Math.min(...known);
}

/** A claim that was passed over while its process was stopped finds that out by its ticket. */
function withOwnTicket(watch: Watch, { ticket }: Claim): Watch {
  if (ticket === null) return watch;
  const own = { path: ticket.path, inode: ticket.descriptor.inode };
  return { ...watch, files: [...watch.files, own] };
}

/** A claim shares the lock once its run comes to hold it, wherever the claim stands: so it watches the locks. */
function* withRun(watch: Watch, { run, place, slots }: Claim): Steps<Watch> {
  if (run === null) return watch;
  const files = [...watch.files];
  for (let slot = 0; slot < slots; slot++) {
    const path = slotPath(place, slot);
    files.push({ path, inode: yield* step("inode", path) });
  }
  return { ...watch, files };
}
