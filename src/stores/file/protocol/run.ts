import { heavierThanRun } from "../../../lock/request.ts";
import type { RunRelease } from "../../../lock/store.ts";
import type { Auditor } from "../audit/entry.ts";
import type { Place } from "../disk/place.ts";
import { writeLock } from "../format/format.ts";
import { type OwnRecord, runLeft } from "../format/record.ts";
import { settleHolders, underGuard } from "./end/burial.ts";
import { releaseHolder } from "./end/release.ts";
import { type Examined, fenceOf, nameOf } from "./examine.ts";
import { recall } from "./fence-file.ts";
import type { JudgeRules } from "./judge.ts";
import type { Claim } from "./line.ts";
import { closeAll, type Grant, openGrant } from "./take.ts";
import { type Steps, step } from "./world.ts";

/** How many may share a run's hold and release it by their own lease; more release it by the run. */
const SHARERS_LIMIT = 300;

/**
 * Shares the lock that the claim's run already holds: the same file, fence and slot. Null if it holds none.
 * Under the guard: such a file is written only there, since nobody beats it.
 */
export function* shareHold(claim: Claim): Steps<Grant | null> {
  const { place, rules, observations, weight, digest } = claim;
  const slots = Math.max(claim.slots, (yield* recall(place)).slots);
  for (const { lock } of yield* settleHolders(place, slots, rules, observations)) {
    if (!(yield* isShareable(claim, lock))) continue;
    const grant = yield* openGrant(place, lock.slot, ({ fence }) => fence === fenceOf(lock));
    if (grant === null) continue;
    const { files } = grant;
    if (files.length < weight) {
      yield* closeAll(files);
      throw heavierThanRun(place.key, files.length, weight);
    }
    // Only the first file names the sharers: it is the file that proves a share.
    const [first] = files;
    const record = withSharer(grant.record, digest);
    first.content = writeLock(record, Buffer.byteLength(first.content, "utf8"));
    yield* step("overwrite", first.descriptor, first.content);
    return { ...grant, record };
  }
  return null;
}

/** A hold that others may reclaim, or soon will, is not shared any more: the claim's turn comes by the line. */
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

/** Releases what a run holds. A lock of anybody else is left alone, and its owner is named. Under the guard. */
export function* releaseRunSteps(
  place: Place,
  rules: JudgeRules,
  auditor: Auditor,
  run: string,
): Steps<RunRelease> {
  return yield* underGuard(place, rules, function* (observations) {
    const { slots } = yield* recall(place);
    let other: string | null = null;
    for (const holder of yield* settleHolders(place, slots, rules, observations)) {
      const { lock } = holder;
      if (lock.record.kind !== "holdfast" || lock.record.run?.id !== run) {
        other ??= nameOf(lock);
        continue;
      }
      if (yield* releaseHolder(place, holder, lock.record, auditor)) return "released";
    }
    return other === null ? "already-gone" : { heldBy: other };
  });
}
