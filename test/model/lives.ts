import { SupersededError } from "../../src/lock/errors.ts";
import { DEFAULT_RECLAIM } from "../../src/lock/reclaim.ts";
import type { Auditor } from "../../src/stores/file/audit/entry.ts";
import { placeOf } from "../../src/stores/file/disk/place.ts";
import { claimSteps } from "../../src/stores/file/protocol/claim.ts";
import {
  adoptSteps,
  beatSteps,
  type Held,
  releaseSteps,
} from "../../src/stores/file/protocol/end/release.ts";
import { Observations } from "../../src/stores/file/protocol/examine.ts";
import { freezeSteps, thawSteps } from "../../src/stores/file/protocol/freeze.ts";
import type { Claim } from "../../src/stores/file/protocol/line.ts";
import type { Grant } from "../../src/stores/file/protocol/take.ts";
import { type Steps, step } from "../../src/stores/file/protocol/world.ts";
import { DEAD_AFTER, MONOTONIC, markOf } from "./memory-world.ts";
import type { Event, Life } from "./process.ts";

export const PLACE = placeOf("k", "/s/k.lock");

const RULES = { staleTimeout: 3_600_000, staleRule: "both", hostname: "host" } as const;

export interface LifeOptions {
  readonly slots?: number;
  readonly weight?: number;
  readonly priority?: number;
  readonly passed?: number;
  /** Joins the line without being ready, and gets ready at any later time. */
  readonly joins?: boolean;
  readonly cancels?: boolean;
  readonly mayWait?: boolean;
  /** A heartbeat between claim and release. */
  readonly beats?: boolean;
  readonly pauses?: boolean;
  readonly newest?: boolean;
  /** Freezes the key, and thaws it again. */
  readonly isAdmin?: boolean;
}

/** A claim, a hold and a release, made of nothing but the shipped steps. */
export function life(pid: number, options: LifeOptions = {}): Life {
  return {
    pid,
    cancels: options.cancels ?? false,
    pauses: options.pauses ?? false,
    weight: options.weight ?? 1,
    priority: options.priority ?? 0,
    ...(options.joins ? { joins: true } : {}),
    ...(options.passed === undefined ? {} : { passed: options.passed }),
    ...(options.newest ? { newest: true } : {}),
    ...(options.isAdmin ? { isAdmin: true } : {}),
    run: (tell) => (options.isAdmin ? freezeAndThaw(pid) : holdOnce(pid, options, tell)),
  };
}

function* freezeAndThaw(pid: number): Steps<unknown> {
  const auditor = { user: "u", pid };
  const owner = `p${pid}`;
  yield* freezeSteps(PLACE, RULES, auditor, { owner, reason: "r", duration: null });
  // A moment in which everybody else may move.
  if ((yield* step("inode", PLACE.freeze)) === null) throw new Error("the freeze is gone");
  if ((yield* thawSteps(PLACE, RULES, auditor, { owner })) === null)
    throw new Error("there was nothing to thaw");
  return null;
}

/**
 * A pair of lives: one claims for the other, which adopts the lock, as a stage of a job does for its
 * keeper. Between them is a pipe, here a file: what the claimer says, or that it is dead.
 */
export function pair(pid: number, keeper: number, options: LifeOptions = {}): [Life, Life] {
  const pipe = `/pipe/${pid}`;
  return [
    {
      pid,
      weight: 0,
      priority: options.priority ?? 0,
      cancels: options.cancels ?? false,
      run: () => claimForKeeper(pid, keeper, pipe, options),
    },
    {
      pid: keeper,
      weight: options.weight ?? 1,
      priority: 0,
      cancels: false,
      run: (tell) => keep(pid, keeper, pipe, options, tell),
    },
  ];
}

function* claimForKeeper(
  pid: number,
  keeper: number,
  pipe: string,
  options: LifeOptions,
): Steps<unknown> {
  const grant = yield* claimSteps({ ...newClaim(pid, options), holder: markOf(keeper) });
  yield* step("create", pipe, grant === null ? "nothing" : JSON.stringify(grant.record));
  return null;
}

function* keep(
  pid: number,
  keeper: number,
  pipe: string,
  options: LifeOptions,
  tell: (event: Event) => void,
): Steps<unknown> {
  // Woken by the first word, whatever its inode, or by the other's end.
  const nothingYet = { path: pipe, inode: null as unknown as string };
  yield* step("wait", {
    files: [nothingYet],
    processes: [markOf(pid)],
    every: 1_000,
    reviewAt: null,
  });
  const view = yield* step("read", pipe);
  yield* step("remove", pipe);
  const text = view === null ? "" : Buffer.from(view.content).toString("utf8");
  if (!text.startsWith("{")) return null;
  const grant = yield* adoptSteps(PLACE, JSON.parse(text), markOf(keeper));
  if (grant === null) throw new Error("lost although its holder lives");
  tell("granted");
  return yield* holdAndRelease(grant, newClaim(keeper, options).auditor, options, tell);
}

function* holdOnce(
  pid: number,
  options: LifeOptions,
  tell: (event: Event) => void,
): Steps<unknown> {
  const claim = newClaim(pid, options);
  const grant = yield* claimUnlessSuperseded(claim);
  if (grant === null) return null;
  tell("granted");
  return yield* holdAndRelease(grant, claim.auditor, options, tell);
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

function* holdAndRelease(
  { files, record }: Grant,
  auditor: Auditor,
  options: LifeOptions,
  tell: (event: Event) => void,
): Steps<unknown> {
  const held: Held = { place: PLACE, files, record, auditor, acquiredMonotonic: MONOTONIC };
  if (options.beats && !(yield* beatSteps(held, true)))
    throw new Error("lost without anybody taking it");
  // The work under the lock: a moment in which everybody else may move.
  yield* step("inode", "/work");
  tell("letting-go");
  const outcome = yield* releaseSteps(held);
  if (outcome !== "released") throw new Error(`release said ${outcome}`);
  return outcome;
}

export function newClaim(pid: number, options: LifeOptions): Claim {
  return {
    place: PLACE,
    owner: { id: `p${pid}`, metadata: {} },
    note: null,
    slots: options.slots ?? 1,
    resources: null,
    weight: options.weight ?? 1,
    priority: options.priority ?? 0,
    ttl: 3_600,
    deadAfter: DEAD_AFTER,
    format: "sema",
    allowed: DEFAULT_RECLAIM,
    digest: "d",
    process: markOf(pid),
    holder: markOf(pid),
    rules: RULES,
    auditor: { user: "u", pid },
    observations: new Observations(),
    turns: new Observations(),
    newest: options.newest ?? false,
    arrived: null,
    run: null,
    started: MONOTONIC,
    isReady: !options.joins,
    mayWait: options.joins || (options.mayWait ?? true),
    ticket: null,
  };
}
