import { basename, dirname, sep } from "node:path";
import { encodeKey } from "../../../lock/key.ts";

export const LOCK_SUFFIX = ".lock";
export const TICKET_SUFFIX = ".ticket";
/** Tells a claim that lost its place to a newer one. */
export const SUPERSEDED_SUFFIX = ".superseded";
export const FREEZE_NAME = "freeze";
const SLOT_FREEZE = /^freeze@(\d+)$/;
const GRAVE_SUFFIX = ".grave";
export const SIDE_DIRECTORY = ".holdfast";
const AUDIT_LOG = ".lock_audit.log";

/**
 * A name in a directory whose path is normal already. `join` would look at every character of the path again,
 * for every file of a key.
 */
export function inside(directory: string, name: string): string {
  return directory.endsWith(sep) ? directory + name : directory + sep + name;
}

/** Where one key's files are. Two ways to the same lock file give the same place. */
export interface Place {
  readonly key: string;
  readonly directory: string;
  /** The lock file of slot 0. */
  readonly lock: string;
  /** Guard, fence, line and freeze of this key: `.holdfast/<lock file's name>/`. */
  readonly side: string;
  readonly guard: string;
  readonly fence: string;
  readonly freeze: string;
  readonly audit: string;
  /** Reached through a link: only something that can be read as a lock is ever removed there. */
  readonly linked: boolean;
}

/** The place of a lock file, which must be a resolved path: no symlink, no `..`. */
export function placeOf(key: string, lock: string, linked = false): Place {
  const directory = dirname(lock);
  const side = inside(inside(directory, SIDE_DIRECTORY), basename(lock));
  return {
    key,
    directory,
    lock,
    side,
    guard: inside(side, "guard"),
    fence: inside(side, "fence"),
    freeze: inside(side, FREEZE_NAME),
    audit: inside(directory, AUDIT_LOG),
    linked,
  };
}

/** The name of a key's lock file in a directory store. */
export function lockFileName(key: string): string {
  return encodeKey(key) + LOCK_SUFFIX;
}

export function slotPath(place: Place, slot: number): string {
  return slot === 0
    ? place.lock
    : `${place.lock.slice(0, -LOCK_SUFFIX.length)}@${slot}${LOCK_SUFFIX}`;
}

/** The spec's name for a temporary file: beside its lock, with the pid, unguessable. */
export function temporaryPath(lock: string, pid: number, random: string): string {
  return `${lock}.${pid}.${random}.tmp`;
}

/** The pid of a temporary file of that lock; null if the name is not one. */
export function temporaryPid(lock: string, name: string): number | null {
  const prefix = `${basename(lock)}.`;
  if (!name.startsWith(prefix) || !name.endsWith(".tmp")) return null;
  const match = /^(\d{1,10})\.[\w-]+$/.exec(name.slice(prefix.length, -".tmp".length));
  return match ? Number(match[1]) : null;
}

export function gravePath(place: Place, slot: number): string {
  return inside(place.side, `slot${slot}${GRAVE_SUFFIX}`);
}

/** The file with the freeze of one slot; null: of the whole key. */
export function freezePath(place: Place, slot: number | null): string {
  return slot === null ? place.freeze : `${place.freeze}@${slot}`;
}

/** Slots that are frozen alone, from the names in the side directory. */
export function freezesIn(names: readonly string[]): number[] {
  const slots = names.flatMap((name) => SLOT_FREEZE.exec(name)?.[1] ?? []);
  return slots.map(Number).sort((one, other) => one - other);
}

/** Whether a key or one of its slots has a freeze, by the names in the side directory. */
export function hasFreeze(names: readonly string[]): boolean {
  return names.includes(FREEZE_NAME) || freezesIn(names).length > 0;
}

/** Slots that have a grave, from the names in the side directory. */
export function gravesIn(names: readonly string[]): number[] {
  return names.flatMap((name) => {
    const match = /^slot(\d{1,6})\.grave$/.exec(name);
    return match ? [Number(match[1])] : [];
  });
}
