import { gravePath, gravesIn, type Place, slotPath } from "../../disk/place.ts";
import {
  type Examined,
  examineHolders,
  examineView,
  look,
  Observations,
  type Occupant,
} from "../examine.ts";
import type { JudgeRules } from "../judge.ts";
import { type Steps, step } from "../world.ts";

/**
 * Removes a lock that was judged, and no other. Under the guard no Holdfast can come between, but a sema tool
 * knows no guard: it may have replaced the file since it was read. So the file is moved aside first. If it turns
 * out to be another one than was judged, it is put back. True: buried. False: it was another file, or gone.
 */
function* bury(place: Place, judged: Examined): Steps<boolean> {
  const grave = gravePath(place, judged.slot);
  if (!(yield* step("rename", judged.path, grave))) return false;
  const inode = yield* step("inode", grave);
  if (inode === judged.view.inode) {
    yield* step("remove", grave);
    return true;
  }
  yield* putBack(grave, judged.path);
  return false;
}

/**
 * Puts a lock back. link overwrites nothing; if it is not allowed (another user's file, no hard links), rename
 * does it.
 */
function* putBack(grave: string, path: string): Steps<void> {
  const linked = yield* step("link", grave, path);
  if (linked === "unsupported" && (yield* step("inode", path)) === null)
    yield* step("rename", grave, path);
  else yield* step("remove", grave);
}

/** Removes a holder's locks. True: they all were the locks that were judged. */
export function* buryAll(place: Place, { locks }: Occupant): Steps<boolean> {
  let isDone = true;
  for (const lock of locks) isDone = (yield* bury(place, lock)) && isDone;
  return isDone;
}

/** Examines a key's holders under its guard, and removes files that are only a part of a hold. */
export function* settleHolders(
  place: Place,
  slots: number,
  rules: JudgeRules,
  observations: Observations,
): Steps<Occupant[]> {
  const found = yield* examineHolders(place, slots, rules, observations);
  for (const part of found.filter(({ isWhole }) => !isWhole)) yield* buryAll(place, part);
  return found.filter(({ isWhole }) => isWhole);
}

/** Changes a key under its guard, once every burial is finished that a crash interrupted there. */
export function* underGuard<T>(
  place: Place,
  rules: JudgeRules,
  change: (observations: Observations) => Steps<T>,
): Steps<T> {
  yield* step("enter", place.guard);
  try {
    const observations = new Observations();
    yield* finishBurials(place, yield* step("list", place.side), rules, observations);
    return yield* change(observations);
  } finally {
    yield* step("leave", place.guard);
  }
}

/** Finishes a burial that a crash interrupted. Every process that enters the guard does this first. */
export function* finishBurials(
  place: Place,
  names: readonly string[],
  rules: JudgeRules,
  observations: Observations,
): Steps<void> {
  for (const slot of gravesIn(names)) {
    const grave = gravePath(place, slot);
    const view = yield* look(grave);
    if (view === null) continue;
    const { verdict } = yield* examineView(grave, view, rules, observations);
    // A living lock in a grave is a foreign one that was moved by mistake.
    if (verdict.vitality === "dead" || verdict.vitality === "expired") yield* step("remove", grave);
    else yield* putBack(grave, slotPath(place, slot));
  }
}
