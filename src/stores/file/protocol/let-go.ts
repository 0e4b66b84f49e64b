import type { Lease, ReleaseOutcome } from "../../../lock/store.ts";
import { type Auditor, record as audit } from "../audit/entry.ts";
import type { Place } from "../disk/place.ts";
import { bury, finishBurials } from "./burial.ts";
import { examineSlot } from "./examine.ts";
import type { JudgeRules } from "./judge.ts";
import { Sightings } from "./sightings.ts";
import { type Steps, step } from "./world.ts";

/** Releases a lock for whoever can show its token, holder or not. Under the guard. */
export function* letGoSteps(
  place: Place,
  rules: JudgeRules,
  auditor: Auditor,
  lease: Lease,
  digest: string,
): Steps<ReleaseOutcome> {
  yield* step("enter", place.guard);
  try {
    const sightings = new Sightings();
    yield* finishBurials(place, yield* step("list", place.side), rules, sightings);
    const lock = yield* examineSlot(place, lease.slot, rules, sightings);
    if (lock?.record.kind !== "holdfast" || lock.record.digest !== digest) return "already-gone";
    const { key, owner, fence, slot } = lock.record;
    const held = Math.round((yield* step("now")) - lock.record.acquired);
    yield* audit(place, auditor, "release", lock.path, { key, owner, fence, slot, held });
    return (yield* bury(place, lock)) ? "released" : "already-gone";
  } finally {
    yield* step("leave", place.guard);
  }
}
