import { SupersededError } from "../../../src/lock/errors.ts";
import { DEFAULT_RECLAIM } from "../../../src/lock/reclaim.ts";
import type { Claimant, WaiterEntry } from "../../../src/stores/document/document.ts";
import { type Claim, claimSteps, type Grant } from "../../../src/stores/document/protocol/claim.ts";
import {
  byClaim,
  holdingSteps,
  releaseSteps,
  renewSteps,
} from "../../../src/stores/document/protocol/hold.ts";
import { Observations } from "../../../src/stores/document/protocol/observations.ts";
import { look, Tries } from "../../../src/stores/document/protocol/swap.ts";
import { freezeSteps, thawSteps } from "../../../src/stores/document/protocol/upkeep.ts";
import type { Steps } from "../../../src/stores/document/protocol/world.ts";
import { TIMING } from "../../../src/stores/document/timing.ts";
import type { Event, Life } from "./process.ts";
import {
  current,
  documentOf,
  jobOf,
  KEY,
  type ModelState,
  NOW,
  PRIVATE_STEPS,
  sessionOf,
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
  readonly newest?: boolean;
  readonly weight?: number;
  readonly priority?: number;
  /** It stands in line before it is ready. */
  readonly joins?: boolean;
  /** So many may stand in line. */
  readonly lineLimit?: number;
  /** The lock is to belong to this run: the process ends without a release. */
  readonly run?: string;
  /** Freezes the key, and thaws it again. */
  readonly isAdmin?: boolean;
}

/** A claim, a hold and a release, made of nothing but the shipped steps. */
export function life(pid: number, kind: WorldOptions["known"], options: LifeOptions = {}): Life {
  return {
    pid,
    cancels: options.cancels ?? false,
    weight: options.weight ?? 1,
    priority: options.priority ?? 0,
    joins: options.joins ?? false,
    ...(options.newest ? { newest: true } : {}),
    ...(options.run === undefined ? {} : { ofRun: options.run }),
    ...(options.isAdmin ? { isAdmin: true } : {}),
    run: (tell, memory) =>
      options.isAdmin ? freezeAndThaw(pid) : holdOnce(pid, kind, options, tell, memory),
  };
}

function* freezeAndThaw(pid: number): Steps<unknown> {
  yield* freezeSteps(KEY, { by: `p${pid}`, reason: "r", duration: null });
  // A moment in which everybody else may move.
  const { document } = yield* look(KEY, true);
  if (document.freeze === null) throw new Error("the freeze is gone");
  if ((yield* thawSteps(KEY, `p${pid}`)) === null) throw new Error("there was nothing to thaw");
  return null;
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
  memory(() => [claim.isReady, claim.observations.dump(), claim.tries.dump()]);
  const grant = yield* claimUnlessSuperseded(claim);
  if (claim.isStranded) throw new Error("it did not leave the line");
  if (grant === null) return null;
  tell("granted");
  const find = byClaim(grant.holder.id);
  if (options.renews && (yield* renewSteps(KEY, find, true)) === null)
    throw new Error("not renewed");
  // The work under the lock, in which everybody else may move, and a look whether it is still held.
  const { holder } = yield* holdingSteps(KEY, find);
  if (holder === undefined) throw new Error("robbed while it lives");
  // The hold of a run outlives its processes.
  if (options.run !== undefined) return null;
  tell("letting-go");
  const outcome = yield* releaseSteps(KEY, find);
  if (outcome !== "released") throw new Error(`release said ${outcome}`);
  return outcome;
}

/** Null where a newer claim ended it, which only one that wants to be the newest may be told. */
function* claimUnlessSuperseded(claim: Claim): Steps<Grant | null> {
  try {
    return yield* claimSteps(claim);
  } catch (error) {
    if (error instanceof SupersededError && claim.newest) return null;
    throw error;
  }
}

function newClaim(pid: number, kind: WorldOptions["known"], options: LifeOptions): Claim {
  const { weight, priority } = options;
  return {
    key: KEY,
    claimant: claimantOf(pid, kind, options),
    slots: options.slots ?? 1,
    rank: {
      ...(weight === undefined ? {} : { weight }),
      ...(priority === undefined ? {} : { priority }),
    },
    allowed: DEFAULT_RECLAIM,
    newest: options.newest ?? false,
    isReady: !options.joins,
    mayWait: options.mayWait ?? true,
    pushes: kind === "session",
    timing: { ...TIMING, ...UNHURRIED, lineLimit: options.lineLimit ?? TIMING.lineLimit },
    started: 0,
    observations: new Observations(),
    tries: new Tries(),
    isStranded: false,
  };
}

/** Nobody looks without a reason: so time may pass until there is one. */
const UNHURRIED = { grace: GRACE, askAgain: 0, poll: [TTL, TTL, TTL] as const, farPoll: TTL };

function claimantOf(pid: number, kind: WorldOptions["known"], options: LifeOptions): Claimant {
  return {
    id: sessionOf(pid),
    owner: `p${pid}`,
    digest: "d",
    ttl: TTL,
    deadAfter: TTL,
    note: null,
    metadata: {},
    life: lifeOf(pid, kind, options),
    ...(options.run === undefined ? {} : { run: options.run }),
  };
}

/** A claim in line as another process left it. */
export function waiterOf(pid: number, kind: WorldOptions["known"]): WaiterEntry {
  return { ...claimantOf(pid, kind, {}), joined: new Date(NOW).toISOString() };
}

function lifeOf(pid: number, kind: WorldOptions["known"], { run }: LifeOptions): Claimant["life"] {
  if (run !== undefined) return { kind: "run", api: "", repository: "", run, attempt: "" };
  return kind === "session" ? { kind: "session", id: sessionOf(pid) } : jobOf(pid);
}

const NEWCOMER = 9;

type Setting = WorldOptions & Required<Pick<LifeOptions, "slots" | "lineLimit">>;

/**
 * What must be true when everybody has ended or crashed: nothing that may still arrive belongs to a
 * process that ended in order, nothing is left where nobody crashed, and somebody new gets the lock
 * with a higher fence.
 */
export function checkEnding(state: ModelState, options: Setting): void {
  const late = state.pending.filter(({ pid }) => !state.dead.has(pid));
  for (const { pid, next } of late) {
    const document = documentOf(next);
    const claims = [...(document?.holders ?? []), ...(document?.line ?? [])];
    if (claims.some(({ id }) => id === sessionOf(pid)))
      throw new Error(`a swap of process ${pid}, which has ended, may still arrive`);
  }
  const document = documentOf(current(state));
  const left = [...(document?.holders ?? []), ...(document?.line ?? [])];
  const forgotten = left.filter(({ run }) => run === undefined);
  if (state.dead.size === 0 && forgotten.length > 0)
    throw new Error(`${forgotten.map(({ id }) => id).join(", ")} are left`);
  // Who could have thawed it has crashed.
  if (document?.freeze != null && state.dead.size > 0) return;
  const fence = grantAlone(state, options);
  if (fence <= (document?.fence ?? 0)) throw new Error(`the newcomer's fence is ${fence}`);
}

function grantAlone(before: ModelState, options: Setting): number {
  let state: ModelState = { ...before, alive: new Set([NEWCOMER]), lost: 0, lags: 0 };
  const steps = claimSteps(newClaim(NEWCOMER, options.known, options));
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
