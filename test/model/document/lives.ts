import { DEFAULT_RECLAIM } from "../../../src/lock/reclaim.ts";
import type { Claimant } from "../../../src/stores/document/document.ts";
import { type Claim, claimSteps } from "../../../src/stores/document/protocol/claim.ts";
import {
  byClaim,
  holdingSteps,
  releaseSteps,
  renewSteps,
} from "../../../src/stores/document/protocol/hold.ts";
import { Sightings } from "../../../src/stores/document/protocol/sightings.ts";
import { Tries } from "../../../src/stores/document/protocol/swap.ts";
import type { Steps } from "../../../src/stores/document/protocol/world.ts";
import { TIMING } from "../../../src/stores/document/timing.ts";
import type { Event, Life } from "./explorer.ts";
import {
  beaconOf,
  current,
  documentOf,
  jobOf,
  KEY,
  type ModelState,
  PRIVATE_STEPS,
  takePrivate,
  turnouts,
  type WorldOptions,
} from "./world.ts";

export const GRACE = 100;
export const TTL = 10_000;

export interface LifeOptions {
  readonly slots?: number;
  readonly cancels?: boolean;
  readonly mayWait?: boolean;
  /** A renewal between claim and release. */
  readonly renews?: boolean;
}

/** A claim, a hold and a release, made of nothing but the shipped steps. */
export function life(pid: number, kind: WorldOptions["known"], options: LifeOptions = {}): Life {
  return {
    pid,
    cancels: options.cancels ?? false,
    run: (tell, memory) => holdOnce(pid, kind, options, tell, memory),
  };
}

function* holdOnce(
  pid: number,
  kind: WorldOptions["known"],
  options: LifeOptions,
  tell: (event: Event) => void,
  memory: (dump: () => unknown) => void,
): Steps<unknown> {
  const claim = newClaim(pid, kind, options);
  // All that outlives a wait: the claim's loop reads anew after each.
  memory(() => [claim.sightings.dump(), claim.tries.dump()]);
  const grant = yield* claimSteps(claim);
  if (claim.isStranded) throw new Error("it did not leave the line");
  if (grant === null) return null;
  tell("granted");
  const find = byClaim(claim.claimant.id);
  if (options.renews && (yield* renewSteps(KEY, find, true)) === null)
    throw new Error("not renewed");
  // The work under the lock, in which everybody else may move, and a look whether it is still held.
  const { holder } = yield* holdingSteps(KEY, find);
  if (holder === undefined) throw new Error("robbed while it lives");
  tell("letting-go");
  const outcome = yield* releaseSteps(KEY, find);
  if (outcome !== "released") throw new Error(`release said ${outcome}`);
  return outcome;
}

function newClaim(pid: number, kind: WorldOptions["known"], options: LifeOptions): Claim {
  const id = beaconOf(pid);
  const claimant: Claimant = {
    id,
    owner: `p${pid}`,
    digest: "d",
    ttl: TTL,
    deadAfter: TTL,
    note: null,
    metadata: {},
    life: kind === "beacon" ? { kind: "beacon", id } : jobOf(pid),
  };
  return {
    key: KEY,
    claimant,
    slots: options.slots ?? 1,
    allowed: DEFAULT_RECLAIM,
    newest: false,
    mayWait: options.mayWait ?? true,
    pushes: kind === "beacon",
    timing: { ...TIMING, grace: GRACE, askAgain: 0 },
    started: 0,
    sightings: new Sightings(),
    tries: new Tries(),
    isStranded: false,
  };
}

const NEWCOMER = 9;

/**
 * What must be true when everybody has ended or crashed: nothing that may still arrive belongs to a
 * process that ended in order, nothing is left where nobody crashed, and somebody new gets the lock
 * with a higher fence.
 */
export function checkEnding(
  state: ModelState,
  options: WorldOptions & { readonly slots: number },
): void {
  const late = state.pending.filter(({ pid }) => !state.dead.has(pid));
  for (const { pid, next } of late) {
    const document = documentOf(next);
    const claims = [...(document?.holders ?? []), ...(document?.line ?? [])];
    if (claims.some(({ id }) => id === beaconOf(pid)))
      throw new Error(`a swap of process ${pid}, which has ended, may still arrive`);
  }
  const document = documentOf(current(state));
  const left = [...(document?.holders ?? []), ...(document?.line ?? [])];
  if (state.dead.size === 0 && left.length > 0)
    throw new Error(`${left.map(({ id }) => id).join(", ")} are left`);
  const fence = grantAlone(state, options);
  if (fence <= (document?.fence ?? 0)) throw new Error(`the newcomer's fence is ${fence}`);
}

function grantAlone(
  before: ModelState,
  options: WorldOptions & { readonly slots: number },
): number {
  let state: ModelState = { ...before, lit: new Set([NEWCOMER]), lost: 0, lags: 0 };
  const steps = claimSteps(newClaim(NEWCOMER, options.known, { slots: options.slots }));
  let turn = steps.next();
  for (let waits = 0; !turn.done; ) {
    const call = turn.value;
    if (call.name === "wait") {
      if (waits++ > 10) throw new Error("a newcomer does not get the lock");
      state = { ...state, monotonic: state.monotonic + TTL };
    }
    if (PRIVATE_STEPS.has(call.name)) {
      turn = steps.next(takePrivate(state, NEWCOMER, call, options));
      continue;
    }
    const [plain] = turnouts(state, NEWCOMER, call, options);
    if (plain === undefined) throw new Error(`no turnout of ${call.name}`);
    state = plain.state;
    turn = steps.next(plain.result);
  }
  if (turn.value === null) throw new Error("a newcomer gave up");
  return turn.value.holder.fence;
}
