import type { RunRelease } from "../../../lock/store.ts";
import { type Auditor, record as audit } from "../audit/entry.ts";
import type { Place } from "../disk/place.ts";
import { writeLock } from "../format/format.ts";
import { type OwnRecord, runLeft } from "../format/record.ts";
import { bury, finishBurials } from "./end/burial.ts";
import { type Examined, examineSlot, nameOf, Sightings } from "./examine.ts";
import { recall } from "./fence-file.ts";
import type { JudgeRules } from "./judge.ts";
import type { Claim } from "./line.ts";
import type { Grant } from "./take.ts";
import { type Steps, step } from "./world.ts";

/** As many may share a run's hold and release it by their own lease; more release it by the run. */
const SHARERS_LIMIT = 300;

/**
 * Shares the lock that the claim's run already holds: the same file, fence and slot. Null where it
 * holds none. Under the guard, in which alone such a file is written: nobody beats it.
 */
export function* shareHold(claim: Claim): Steps<Grant | null> {
  const slots = Math.max(claim.slots, (yield* recall(claim.place)).slots);
  for (let slot = 0; slot < slots; slot++) {
    const lock = yield* examineSlot(claim.place, slot, claim.rules, claim.sightings);
    if (lock === null || !(yield* isShareable(claim, lock))) continue;
    const descriptor = yield* step("open", lock.path);
    if (descriptor === null) continue;
    if (descriptor.inode !== lock.view.inode) {
      yield* step("close", descriptor);
      continue;
    }
    const record = withSharer(lock.record as OwnRecord, claim.digest);
    const content = writeLock(record, lock.view.content.byteLength);
    yield* step("overwrite", descriptor, content);
    return { path: lock.path, descriptor, record, content, reclaimed: null };
  }
  return null;
}

/** What others may reclaim, or soon will, is not shared any more: its turn comes by the line. */
function* isShareable({ run, place, rules }: Claim, { record, verdict }: Examined): Steps<boolean> {
  if (run === null || record.kind !== "holdfast" || record.run?.id !== run.id) return false;
  if (verdict.vitality === "dead" || verdict.vitality === "expired") return false;
  const monotonic = yield* step("monotonic");
  const fileNow = yield* step("fileNow", place.guard);
  return (runLeft(record, { boot: rules.boot ?? null, monotonic, fileNow }) ?? 0) > 0;
}

function withSharer(record: OwnRecord, digest: string): OwnRecord {
  if (record.run === null) return record;
  const sharers = [...record.run.sharers, digest].slice(-SHARERS_LIMIT);
  return { ...record, run: { ...record.run, sharers } };
}

/** Releases what a run holds. What another holds is left alone, and named. Under the guard. */
export function* releaseRunSteps(
  place: Place,
  rules: JudgeRules,
  auditor: Auditor,
  run: string,
): Steps<RunRelease> {
  yield* step("enter", place.guard);
  try {
    const sightings = new Sightings();
    yield* finishBurials(place, yield* step("list", place.side), rules, sightings);
    const { slots } = yield* recall(place);
    let other: string | null = null;
    for (let slot = 0; slot < slots; slot++) {
      const lock = yield* examineSlot(place, slot, rules, sightings);
      if (lock === null) continue;
      if (lock.record.kind !== "holdfast" || lock.record.run?.id !== run) {
        other ??= nameOf(lock);
        continue;
      }
      const { key, owner, fence, acquired } = lock.record;
      const held = Math.round((yield* step("now")) - acquired);
      yield* audit(place, auditor, "release", lock.path, { key, owner, fence, slot, held });
      if (yield* bury(place, lock)) return "released";
    }
    return other === null ? "already-gone" : { heldBy: other };
  } finally {
    yield* step("leave", place.guard);
  }
}
