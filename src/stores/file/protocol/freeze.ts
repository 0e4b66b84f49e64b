import { slotMeant } from "../../../lock/request.ts";
import type { Freeze } from "../../../lock/status.ts";
import type { FreezeOptions, ThawOptions } from "../../../lock/store.ts";
import { type Auditor, record as audit } from "../audit/entry.ts";
import { freezePath, freezesIn, type Place } from "../disk/place.ts";
import { writeFreeze } from "../format/freeze.ts";
import { lookForFreezes } from "./frozen.ts";
import { inspectSteps } from "./inspect.ts";
import type { JudgeRules } from "./judge.ts";
import { type Steps, step } from "./world.ts";
import { putWhole } from "./write.ts";

/**
 * Freezes a key, or one of its slots, under its guard: the claim after this one finds it frozen. The
 * file appears whole, and in the place of an earlier one.
 */
export function* freezeSteps(
  place: Place,
  rules: JudgeRules,
  auditor: Auditor,
  { owner: by, reason, duration, ...only }: FreezeOptions,
): Steps<Freeze> {
  yield* step("enter", place.guard);
  try {
    const slot = slotMeant(place.key, only, yield* inspectSteps(place, "", rules));
    const now = yield* step("fileNow", place.guard);
    const until = duration === null ? null : new Date(now + duration).toISOString();
    const freeze: Freeze = { by, reason, since: new Date(now).toISOString(), until };
    const details = { key: place.key, by, reason, until, ...(slot === null ? {} : { slot }) };
    const content = writeFreeze(place.key, freeze);
    const record = () => audit(place, auditor, "freeze", place.lock, details);
    yield* putWhole(freezePath(place, slot), content, auditor.pid, record, place.freeze);
    return freeze;
  } finally {
    yield* step("leave", place.guard);
  }
}

/** Ends a freeze, or all of the key, and says which; null where there was none. Under the guard. */
export function* thawSteps(
  place: Place,
  rules: JudgeRules,
  auditor: Auditor,
  { owner: by, ...only }: ThawOptions,
): Steps<Freeze | null> {
  yield* step("enter", place.guard);
  try {
    const names = yield* step("list", place.side);
    const slot = slotMeant(place.key, only, yield* inspectSteps(place, "", rules));
    const frozen = yield* lookForFreezes(place, names);
    const ended = frozen.filter((each) => slot === null || each.slot === slot);
    for (const each of ended) {
      const { by: frozenBy, reason, since } = each.freeze;
      const details = { key: place.key, by, frozenBy, reason, since };
      const of = each.slot === null ? details : { ...details, slot: each.slot };
      yield* audit(place, auditor, "thaw", place.lock, of);
    }
    // One whose time is over goes as well, without a word.
    const slots = slot === null ? [null, ...freezesIn(names)] : [slot];
    for (const each of slots) yield* step("remove", freezePath(place, each));
    return ended[0]?.freeze ?? null;
  } finally {
    yield* step("leave", place.guard);
  }
}
