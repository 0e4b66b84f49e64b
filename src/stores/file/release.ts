import type { ReleaseOutcome } from "../../lock/store.ts";
import { type Auditor, record as audit } from "./audit.ts";
import { writeLock } from "./format.ts";
import type { Place } from "./place.ts";
import type { OwnRecord } from "./record.ts";
import { type Descriptor, type Steps, step } from "./world.ts";

/** A lock that this process holds: its file, its open descriptor and what the file says. */
export interface Held {
  readonly place: Place;
  readonly path: string;
  readonly descriptor: Descriptor;
  readonly auditor: Auditor;
  readonly acquiredMonotonic: number;
  record: OwnRecord;
  /** Bytes of the file, which only grows. */
  size: number;
}

/** Lets go, if the lock is still this one: the inode tells, whatever the file says. */
export function* releaseSteps(held: Held): Steps<ReleaseOutcome | "cancelled"> {
  if ((yield* step("enter", held.place.guard)) === "cancelled") return "cancelled";
  try {
    if ((yield* step("inode", held.path)) !== held.descriptor.inode) return "already-gone";
    const { key, owner, fence, slot } = held.record;
    const heldFor = Math.round((yield* step("monotonic")) - held.acquiredMonotonic);
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

/**
 * A sign of life, written through the holder's own descriptor, so that it can never overwrite a
 * successor's lock; then a look whether the path still leads there. False: lost.
 */
export function* beatSteps(held: Held, refresh: boolean): Steps<boolean> {
  const now = Math.floor(yield* step("now"));
  const refreshed = refresh
    ? { refreshed: now, refreshedMonotonic: yield* step("monotonic") }
    : undefined;
  held.record = { ...held.record, ...refreshed, beat: held.record.beat + 1, beaten: now };
  const content = writeLock(held.record, held.size);
  held.size = Buffer.byteLength(content, "utf8");
  yield* step("overwrite", held.descriptor, content);
  return (yield* step("inode", held.path)) === held.descriptor.inode;
}
