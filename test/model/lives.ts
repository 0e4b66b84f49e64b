import { DEFAULT_RECLAIM } from "../../src/lock/reclaim.ts";
import { type Claim, claimSteps } from "../../src/stores/file/claim.ts";
import { placeOf } from "../../src/stores/file/place.ts";
import { beatSteps, type Held, releaseSteps } from "../../src/stores/file/release.ts";
import { Sightings } from "../../src/stores/file/sightings.ts";
import { type Steps, step } from "../../src/stores/file/world.ts";
import type { Event, Life } from "./explorer.ts";
import { MONOTONIC, markOf } from "./memory-world.ts";

export const PLACE = placeOf("k", "/s/k.lock");

export interface LifeOptions {
  readonly slots?: number;
  readonly cancels?: boolean;
  readonly mayWait?: boolean;
  /** A heartbeat between claim and release. */
  readonly beats?: boolean;
}

/** A claim, a hold and a release, made of nothing but the shipped steps. */
export function life(pid: number, options: LifeOptions = {}): Life {
  return {
    pid,
    cancels: options.cancels ?? false,
    run: (tell) => holdOnce(pid, options, tell),
  };
}

function* holdOnce(
  pid: number,
  options: LifeOptions,
  tell: (event: Event) => void,
): Steps<unknown> {
  const claim = newClaim(pid, options);
  const grant = yield* claimSteps(claim);
  if (grant === null) return null;
  tell("granted");
  const { path, descriptor, record } = grant;
  const held: Held = {
    place: PLACE,
    path,
    descriptor,
    record,
    auditor: claim.auditor,
    acquiredMonotonic: MONOTONIC,
    content: grant.content,
  };
  if (options.beats && !(yield* beatSteps(held, true)))
    throw new Error("lost without anybody taking it");
  // The work under the lock: a moment in which everybody else may move.
  yield* step("inode", "/work");
  tell("letting-go");
  const outcome = yield* releaseSteps(held);
  if (outcome !== "released") throw new Error(`release said ${outcome}`);
  return outcome;
}

function newClaim(pid: number, options: LifeOptions): Claim {
  return {
    place: PLACE,
    owner: { id: `p${pid}`, metadata: {} },
    note: null,
    slots: options.slots ?? 1,
    ttl: 3_600,
    lease: 30_000,
    format: "sema",
    allowed: DEFAULT_RECLAIM,
    digest: "d",
    process: markOf(pid),
    rules: { staleTimeout: 3_600_000, staleRule: "both", hostname: "host" },
    auditor: { user: "u", pid },
    sightings: new Sightings(),
    started: MONOTONIC,
    mayWait: options.mayWait ?? true,
    ticket: null,
  };
}
