import type { ReleaseOutcome } from "../../../lock/store.ts";
import { type Auditor, record as audit } from "../audit/entry.ts";
import type { Place } from "../disk/place.ts";
import { parseLock, writeLock } from "../format/format.ts";
import type { OwnRecord } from "../format/record.ts";
import { type Descriptor, type FileView, type Steps, step } from "./world.ts";

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
  // The file only grows: what is shorter is padded.
  held.content = writeLock(held.record, Buffer.byteLength(held.content, "utf8"));
  yield* step("overwrite", held.descriptor, held.content);
  return (yield* step("inode", held.path)) === held.descriptor.inode;
}
