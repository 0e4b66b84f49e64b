import { lstatSync } from "node:fs";
import { basename, join } from "node:path";
import { decodeKey } from "../../../lock/key.ts";
import { parseLock } from "../format/format.ts";
import { keyOfFreeze } from "../format/freeze.ts";
import { parseMemory } from "../protocol/fence-file.ts";
import type { World } from "../protocol/world.ts";
import { resolveLock } from "./location.ts";
import { LOCK_SUFFIX, type Place, placeOf, SIDE_DIRECTORY, slotPath } from "./place.ts";

export interface Entry {
  readonly place: Place;
  /** Slots whose lock file is there, and always slot 0. */
  readonly slots: readonly number[];
  /** Temporary files of its locks, by name. */
  readonly temporaries: readonly string[];
}

/** Every key that has left a trace in a directory: a lock file, a side directory, a temporary file. */
export function catalogue(world: Pick<World, "list" | "read">, directory: string): Entry[] {
  const found = new Map<string, { slots: Set<number>; temporaries: string[] }>();
  const add = (stem: string, slot: number) => {
    const known = found.get(stem) ?? { slots: new Set([0]), temporaries: [] };
    found.set(stem, known);
    known.slots.add(slot);
    return known;
  };
  for (const name of world.list(directory)) {
    // `name.lock`, `name@2.lock`, and `name.lock.4711.abcdef.tmp`, of which only the lock may be gone.
    const match = /^(.*?)(?:@(\d{1,4}))?\.lock(\.\d{1,10}\.[\w-]+\.tmp)?$/s.exec(name);
    if (!match) continue;
    const known = add(match[1] as string, Number(match[2] ?? 0));
    if (match[3] !== undefined) known.temporaries.push(name);
  }
  for (const name of world.list(join(directory, SIDE_DIRECTORY))) {
    if (name.endsWith(LOCK_SUFFIX)) add(name.slice(0, -LOCK_SUFFIX.length), 0);
  }
  return [...found]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([stem, { slots, temporaries }]) => {
      const lock = join(directory, stem + LOCK_SUFFIX);
      const place = placeOf(keyOf(world, lock), lock);
      return { place, slots: [...slots].sort((a, b) => a - b), temporaries };
    });
}

/**
 * The entries at the place where their locks really are: a link is followed as a claim follows it, and is never
 * a lock itself. Directories are left out: other tools lock by them, and a claim of such a key says so.
 */
export function reachable(entries: readonly Entry[], within: string | null): Entry[] {
  return entries.flatMap((entry) => {
    const stat = lstatSync(entry.place.lock, { throwIfNoEntry: false });
    if (stat?.isDirectory()) return [];
    if (!stat?.isSymbolicLink()) return [entry];
    try {
      const lock = resolveLock(entry.place.lock, within);
      if (lstatSync(lock, { throwIfNoEntry: false })?.isDirectory()) return [];
      return [{ ...entry, place: placeOf(entry.place.key, lock, true) }];
    } catch {
      // A link that a claim refuses is neither listed nor cleaned.
      return [];
    }
  });
}

/** The key of a lock file: a field of its files or, if they do not tell it, the file's name. */
export function keyOf(world: Pick<World, "read">, lock: string): string {
  const place = placeOf("", lock);
  const remembered = world.read(place.fence);
  const memory =
    remembered === null ? null : parseMemory(Buffer.from(remembered.content).toString("utf8"));
  if (memory?.key != null) return memory.key;
  const freeze = readIfFile(world, place.freeze);
  const frozen = freeze === null ? null : keyOfFreeze(freeze);
  if (frozen !== null) return frozen;
  const view = readIfFile(world, slotPath(place, 0));
  const record = view === null ? null : parseLock(view.content);
  if (record?.kind === "holdfast") return record.key;
  const stem = basename(lock, LOCK_SUFFIX);
  return decodeKey(stem) ?? stem;
}

function readIfFile(world: Pick<World, "read">, path: string) {
  try {
    return world.read(path);
  } catch {
    return null;
  }
}
