import type { Lease, ReleaseOutcome } from "../../../../lock/store.ts";
import { isSameProcess, type ProcessMark } from "../../../../machine/processes.ts";
import { type Auditor, record as audit } from "../../audit/entry.ts";
import type { Place } from "../../disk/place.ts";
import { parseLock, writeLock } from "../../format/format.ts";
import type { OwnRecord } from "../../format/record.ts";
import { type Occupant, slotsIn } from "../examine.ts";
import type { JudgeRules } from "../judge.ts";
import { closeAll, type Grant, type OwnFile, openGrant } from "../take.ts";
import { type FileView, type Steps, step } from "../world.ts";
import { buryAll, settleHolders, underGuard } from "./burial.ts";

/** A lock that this process holds: its files, and what the first of them says. */
export interface Held {
  readonly place: Place;
  readonly files: Grant["files"];
  readonly auditor: Auditor;
  readonly acquiredMonotonic: number;
  record: OwnRecord;
}

/**
 * Adopts a lock that another process claimed for this one: the grant, as if it had been made here. Null if that
 * lock is no longer there. No guard is needed: as long as this process lives, only a break or a foreign tool
 * takes its lock away, and a holder notices both.
 */
export function* adoptSteps(
  place: Place,
  lease: Pick<Lease, "fence" | "slot">,
  self: ProcessMark,
): Steps<Grant | null> {
  // The fence tells one grant of the key from every other; the mark tells for which process it was meant.
  return yield* openGrant(
    place,
    lease.slot,
    ({ fence, run, process }) =>
      fence === lease.fence && (run !== null || isSameProcess(process, self)),
  );
}

/**
 * Whether the file under the lock's name is still this holder's. Mostly the inode tells. But a tool of the lock
 * policy takes over by writing into the file that is there, so its content counts as well. A file of ours that
 * cannot be read is still ours.
 */
export function isOurs({ record }: Held, file: OwnFile, view: FileView | null): boolean {
  if (view === null || view.inode !== file.descriptor.inode) return false;
  if (Buffer.from(file.content, "utf8").equals(view.content)) return true;
  const found = parseLock(view.content);
  if (found.kind === "unreadable") return true;
  return found.kind === "holdfast" && found.digest === record.digest;
}

/** Whether every file of a lock is still its holder's: the loss of one is the loss of all. */
function* isWhollyOurs(held: Held): Steps<boolean> {
  for (const file of held.files)
    if (!isOurs(held, file, yield* step("read", file.path))) return false;
  return true;
}

/**
 * Writes a sign of life through the holder's own descriptors, so that it can never overwrite a
 * successor's lock; then looks whether the paths still lead there. False: lost.
 */
export function* beatSteps(held: Held, refresh: boolean): Steps<boolean> {
  if (!(yield* isWhollyOurs(held))) return false;
  // A run's hold does not live by its beats, and its file is shared: so it is written under the guard.
  if (held.record.run !== null) return true;
  const now = Math.floor(yield* step("now"));
  const refreshed = refresh
    ? { refreshed: now, refreshedMonotonic: yield* step("monotonic") }
    : undefined;
  held.record = { ...held.record, ...refreshed, beat: held.record.beat + 1, beaten: now };
  for (const file of held.files) {
    // The file only grows: a shorter text is padded.
    const least = Buffer.byteLength(file.content, "utf8");
    file.content = writeLock({ ...held.record, slot: file.slot }, least);
    yield* step("overwrite", file.descriptor, file.content);
    if ((yield* step("inode", file.path)) !== file.descriptor.inode) return false;
  }
  return true;
}

/** Releases a lock by its holder, if it is still this one. */
export function* releaseSteps(held: Held): Steps<ReleaseOutcome | "cancelled"> {
  if ((yield* step("enter", held.place.guard)) === "cancelled") return "cancelled";
  try {
    if (!(yield* isWhollyOurs(held))) return "already-gone";
    const { key, owner, fence, slot, together, run, acquired } = held.record;
    // A run's hold may have begun on another machine: then the calendar must do.
    const since =
      run === null
        ? (yield* step("monotonic")) - held.acquiredMonotonic
        : (yield* step("now")) - acquired;
    const heldFor = Math.max(0, Math.round(since));
    const slots = together === undefined ? {} : { slots: together };
    const details = { key, owner, fence, slot, ...slots, held: heldFor };
    // The line comes first: as soon as the file is gone, the next holder's line may follow.
    yield* audit(held.place, held.auditor, "release", held.files[0].path, details);
    for (const { path } of held.files) yield* step("remove", path);
    return "released";
  } finally {
    yield* step("leave", held.place.guard);
    yield* closeAll(held.files);
  }
}

/** Releases a lock by its token, from any process that can show the token. Under the guard. */
export function* releaseByTokenSteps(
  place: Place,
  rules: JudgeRules,
  auditor: Auditor,
  lease: Lease,
  digest: string,
): Steps<ReleaseOutcome> {
  return yield* underGuard(place, rules, function* (observations) {
    for (const holder of yield* settleHolders(place, lease.slot + 1, rules, observations)) {
      const { record } = holder.lock;
      if (record.kind !== "holdfast" || !isHeldBy(record, digest)) continue;
      return (yield* releaseHolder(place, holder, record, auditor)) ? "released" : "already-gone";
    }
    return "already-gone";
  });
}

/** Records the release of a holder, and removes its locks. True: they were still the same. */
export function* releaseHolder(
  place: Place,
  holder: Occupant,
  { key, owner, fence, acquired }: OwnRecord,
  auditor: Auditor,
): Steps<boolean> {
  const held = Math.round((yield* step("now")) - acquired);
  const details = { key, owner, fence, ...slotsIn(holder.lock), held };
  yield* audit(place, auditor, "release", holder.lock.path, details);
  return yield* buryAll(place, holder);
}

/**
 * Whether a token with that digest proves the holding: the holder's own token, or one that shares a run's hold.
 */
function isHeldBy({ digest, run }: OwnRecord, proof: string): boolean {
  return digest === proof || (run?.sharers.includes(proof) ?? false);
}
