import type { Freeze } from "../../../lock/status.ts";
import { FREEZE_NAME, freezePath, freezesIn, type Place } from "../disk/place.ts";
import { parseFreeze } from "../format/freeze.ts";
import { type Steps, step, type Watch } from "./world.ts";

/** A freeze that is in force. */
export interface Frozen {
  /** Null: of the whole key. Else the number in its file's name, until it follows its name. */
  readonly slot: number | null;
  readonly resource?: string;
  readonly freeze: Freeze;
  /** The end of the freeze: its file is gone or another one, or its time is over. */
  readonly watch: { readonly file: Watch["files"][number]; readonly reviewAt: number | null };
}

/**
 * Looks for the freezes of a key: that of the whole key first, then those of slots. `names` are those in
 * its side directory, so that a key which is not frozen costs nothing.
 */
export function* lookForFreezes(place: Place, names: readonly string[]): Steps<Frozen[]> {
  const found: Frozen[] = [];
  for (const slot of [...(names.includes(FREEZE_NAME) ? [null] : []), ...freezesIn(names)])
    found.push(...(yield* lookForFreeze(place, slot)));
  return found;
}

/** A freeze's end is by the files' clock, which is the same for all machines. */
function* lookForFreeze(place: Place, slot: number | null): Steps<Frozen[]> {
  const path = freezePath(place, slot);
  const view = yield* step("read", path);
  if (view === null) return [];
  const { resource, ...freeze } = parseFreeze(view);
  const left =
    freeze.until === null ? null : Date.parse(freeze.until) - (yield* step("fileNow", place.guard));
  if (left !== null && left <= 0) return [];
  const reviewAt = left === null ? null : (yield* step("monotonic")) + left;
  const watch = { file: { path, inode: view.inode }, reviewAt };
  return [{ slot, freeze, watch, ...(resource === undefined ? {} : { resource }) }];
}
