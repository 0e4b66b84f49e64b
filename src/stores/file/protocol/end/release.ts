import type { Lease, ReleaseOutcome } from "../../../../lock/store.ts";
import { isSameProcess, type ProcessMark } from "../../../../machine/processes.ts";
import { type Auditor, record as audit } from "../../audit/entry.ts";
import { type Place, slotPath } from "../../disk/place.ts";
import { parseLock, writeLock } from "../../format/format.ts";
import type { OwnRecord } from "../../format/record.ts";
import { examineSlot, Sightings } from "../examine.ts";
import type { JudgeRules } from "../judge.ts";
import type { Grant } from "../take.ts";
import { type Descriptor, type FileView, type Steps, step } from "../world.ts";
import { bury, finishBurials } from "./burial.ts";

/** A lock that this process holds: its file, its open descriptor and what the file says. */
export interface Held {
  readonly place: Place;
  readonly path: string;
  readonly descriptor: Descriptor;
  readonly auditor: Auditor;
  readonly acquiredMonotonic: number;
  record: OwnRecord;
  /** What was last written to the file. */
  content: string;
}

/**
 * Adopts a lock that another process claimed for this one: the grant, as if it had been made here.
 * Null where that lock is no longer there. No guard is needed: as long as this process lives, only a
 * break or a foreign tool takes its lock away, and a holder notices both.
 */
export function* adoptSteps(
  place: Place,
  lease: Pick<Lease, "fence" | "slot">,
  self: ProcessMark,
): Steps<Grant | null> {
  const path = slotPath(place, lease.slot);
  const descriptor = yield* step("open", path);
  if (descriptor === null) return null;
  const view = yield* step("read", path);
  const record = view === null ? null : parseLock(view.content);
  // The fence tells one grant of the key from every other, the mark says which process it was meant for.
  if (
    view?.inode === descriptor.inode &&
    record?.kind === "holdfast" &&
    record.fence === lease.fence &&
    (record.run !== null || isSameProcess(record.process, self))
  ) {
    const content = Buffer.from(view.content).toString("utf8");
    return { path, descriptor, record, content, reclaimed: null };
  }
  yield* step("close", descriptor);
  return null;
}

/**
 * Whether what is under the lock's name is still this holder's. Mostly the inode tells; but a tool of
 * the lock policy takes over by writing into the file that is there, so what it says counts as well.
 * A file of ours that cannot be read is still ours.
 */
export function isOurs(held: Held, view: FileView | null): boolean {
  if (view === null || view.inode !== held.descriptor.inode) return false;
  if (Buffer.from(held.content, "utf8").equals(view.content)) return true;
  const record = parseLock(view.content);
  if (record.kind === "unreadable") return true;
  return record.kind === "holdfast" && record.digest === held.record.digest;
}

/**
 * Writes a sign of life through the holder's own descriptor, so that it can never overwrite a
 * successor's lock; then looks whether the path still leads there. False: lost.
 */
export function* beatSteps(held: Held, refresh: boolean): Steps<boolean> {
  if (!isOurs(held, yield* step("read", held.path))) return false;
  // A run's hold does not live by its beats, and its file is also others': it is written under the guard.
  if (held.record.run !== null) return true;
  const now = Math.floor(yield* step("now"));
  const refreshed = refresh
    ? { refreshed: now, refreshedMonotonic: yield* step("monotonic") }
    : undefined;
  held.record = { ...held.record, ...refreshed, beat: held.record.beat + 1, beaten: now };
  // The file only grows: what is shorter is padded.
  held.content = writeLock(held.record, Buffer.byteLength(held.content, "utf8"));
  yield* step("overwrite", held.descriptor, held.content);
  return (yield* step("inode", held.path)) === held.descriptor.inode;
}

/** Releases a lock by its holder, if it is still this one. */
export function* releaseSteps(held: Held): Steps<ReleaseOutcome | "cancelled"> {
  if ((yield* step("enter", held.place.guard)) === "cancelled") return "cancelled";
  try {
    if (!isOurs(held, yield* step("read", held.path))) return "already-gone";
    const { key, owner, fence, slot, run, acquired } = held.record;
    // A run's hold may have begun on another machine: then the calendar must do.
    const since =
      run === null
        ? (yield* step("monotonic")) - held.acquiredMonotonic
        : (yield* step("now")) - acquired;
    const heldFor = Math.max(0, Math.round(since));
    // The line comes first: once the file is gone the next holder's line may follow at once.
    yield* audit(held.place, held.auditor, "release", held.path, {
      key,
      owner,
      fence,
      slot,
      held: heldFor,
    });
    yield* step("remove", held.path);
    return "released";
  } finally {
    yield* step("leave", held.place.guard);
    yield* step("close", held.descriptor);
  }
}

/** Releases a lock by its token, from any process that can show it. Under the guard. */
export function* releaseByTokenSteps(
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
    if (lock?.record.kind !== "holdfast" || !isHeldBy(lock.record, digest)) return "already-gone";
    const { key, owner, fence, slot } = lock.record;
    const held = Math.round((yield* step("now")) - lock.record.acquired);
    yield* audit(place, auditor, "release", lock.path, { key, owner, fence, slot, held });
    return (yield* bury(place, lock)) ? "released" : "already-gone";
  } finally {
    yield* step("leave", place.guard);
  }
}

/** Whether a token with that digest proves the holding: its own, or one that shares a run's. */
function isHeldBy({ digest, run }: OwnRecord, proof: string): boolean {
  return digest === proof || (run?.sharers.includes(proof) ?? false);
}
