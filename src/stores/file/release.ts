import type { ReleaseOutcome } from "../../lock/store.ts";
import { type Auditor, record as audit } from "./audit.ts";
import { parseLock, writeLock } from "./format.ts";
import type { Place } from "./place.ts";
import type { OwnRecord } from "./record.ts";
import { type Descriptor, type FileView, type Steps, step } from "./world.ts";

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

/**
 * Whether what is under the lock's name is still this holder's. Mostly the inode tells; but a tool of
 * the lock policy takes over by writing into the file that is there, so what it says counts as well.
 * A file of ours that cannot be read is still ours.
 */
export function isOurs(held: Held, view: FileView | null): boolean {
  if (view === null || view.inode !== held.descriptor.inode) return false;
  const record = parseLock(view.content);
  if (record.kind === "unreadable") return true;
  return record.kind === "holdfast" && record.digest === held.record.digest;
}

/** Lets go, if the lock is still this one. */
export function* releaseSteps(held: Held): Steps<ReleaseOutcome | "cancelled"> {
  if ((yield* step("enter", held.place.guard)) === "cancelled") return "cancelled";
  try {
    if (!isOurs(held, yield* step("read", held.path))) return "already-gone";
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
  if (!isOurs(held, yield* step("read", held.path))) return false;
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
