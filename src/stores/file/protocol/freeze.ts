import type { Freeze } from "../../../lock/status.ts";
import type { FreezeOptions } from "../../../lock/store.ts";
import { type Auditor, record as audit } from "../audit/entry.ts";
import { FREEZE_NAME, type Place, temporaryPath } from "../disk/place.ts";
import { parseFreeze, writeFreeze } from "../format/freeze.ts";
import { type Steps, step, type Watch } from "./world.ts";

/** A freeze that is in force. */
export interface Frozen {
  readonly freeze: Freeze;
  /** The end of the freeze: its file is gone or another one, or its time is over. */
  readonly watch: Pick<Watch, "files" | "reviewAt">;
}

/**
 * Looks whether a key is frozen. `names` are those in its side directory, so that a key which is not
 * costs nothing. Its end is by the files' clock, which is the same for all machines.
 */
export function* lookForFreeze(place: Place, names: readonly string[]): Steps<Frozen | null> {
  if (!names.includes(FREEZE_NAME)) return null;
  const view = yield* step("read", place.freeze);
  if (view === null) return null;
  const freeze = parseFreeze(view);
  const left =
    freeze.until === null ? null : Date.parse(freeze.until) - (yield* step("fileNow", place.guard));
  if (left !== null && left <= 0) return null;
  const reviewAt = left === null ? null : (yield* step("monotonic")) + left;
  return { freeze, watch: { files: [{ path: place.freeze, inode: view.inode }], reviewAt } };
}

/**
 * Freezes a key under its guard: the claim after this one finds it frozen. The file appears whole, and
 * in the place of an earlier one; a link under its name is replaced, not followed.
 */
export function* freezeSteps(
  place: Place,
  auditor: Auditor,
  { owner: by, reason, duration }: FreezeOptions,
): Steps<Freeze> {
  yield* step("enter", place.guard);
  try {
    const now = yield* step("fileNow", place.guard);
    const until = duration === null ? null : new Date(now + duration).toISOString();
    const freeze: Freeze = { by, reason, since: new Date(now).toISOString(), until };
    const temporary = temporaryPath(place.freeze, auditor.pid, yield* step("random"));
    yield* step("close", yield* step("create", temporary, writeFreeze(place.key, freeze)));
    let stands = false;
    try {
      const details = { key: place.key, by, reason, until };
      yield* audit(place, auditor, "freeze", place.lock, details);
      stands = yield* step("rename", temporary, place.freeze);
    } finally {
      if (!stands) yield* step("remove", temporary);
    }
    return freeze;
  } finally {
    yield* step("leave", place.guard);
  }
}

/** Ends a freeze, and says which; null where the key was not frozen. Under the guard. */
export function* thawSteps(place: Place, auditor: Auditor, by: string): Steps<Freeze | null> {
  yield* step("enter", place.guard);
  try {
    const frozen = yield* lookForFreeze(place, yield* step("list", place.side));
    if (frozen !== null) {
      const { by: frozenBy, reason, since } = frozen.freeze;
      const details = { key: place.key, by, frozenBy, reason, since };
      yield* audit(place, auditor, "thaw", place.lock, details);
    }
    // One whose time is over goes as well, without a word.
    yield* step("remove", place.freeze);
    return frozen?.freeze ?? null;
  } finally {
    yield* step("leave", place.guard);
  }
}
