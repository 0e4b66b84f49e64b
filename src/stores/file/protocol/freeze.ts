import { slotMeant } from "../../../lock/request.ts";
import { followNames } from "../../../lock/resources.ts";
import type { Freeze, KeyStatus } from "../../../lock/status.ts";
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
    const status = yield* inspectSteps(place, "", rules);
    const slot = slotMeant(place.key, only, { ...status, isUsed: isUsed(status) });
    const resource = slot === null ? undefined : (nameOf(status, slot) ?? only.resource);
    const path = slot === null ? place.freeze : yield* pathFor(place, status, slot);
    const now = yield* step("fileNow", place.guard);
    const until = duration === null ? null : new Date(now + duration).toISOString();
    const freeze: Freeze = { by, reason, since: new Date(now).toISOString(), until };
    const details = { key: place.key, by, reason, until, ...(slot === null ? {} : { slot }) };
    const content = writeFreeze(
      place.key,
      resource === undefined ? freeze : { ...freeze, resource },
    );
    const record = () => audit(place, auditor, "freeze", place.lock, details);
    yield* putWhole(path, content, auditor.pid, record, place.freeze);
    return freeze;
  } finally {
    yield* step("leave", place.guard);
  }
}

/**
 * The file of a slot's freeze: the one that it has, else the first free one from its number on. The file of its
 * number may belong to a freeze that has followed its name to another slot.
 */
function* pathFor(place: Place, { resources }: KeyStatus, slot: number): Steps<string> {
  const names = yield* step("list", place.side);
  const frozen = followNames(yield* lookForFreezes(place, names), resources);
  const present = frozen.find((each) => each.slot === slot);
  if (present !== undefined) return present.watch.file.path;
  const taken = new Set(frozen.map(({ watch }) => watch.file.path));
  for (let number = slot; ; number++) {
    const path = freezePath(place, number);
    if (!taken.has(path)) return path;
  }
}

function nameOf({ resources, frozenSlots }: KeyStatus, slot: number): string | undefined {
  return resources?.[slot] ?? frozenSlots.find((each) => each.slot === slot)?.resource;
}

function isUsed({ holders, waiting }: KeyStatus): boolean {
  return holders.length + waiting > 0;
}

/** Ends a freeze, or all of the key, and tells which; null if there was none. Under the guard. */
export function* thawSteps(
  place: Place,
  rules: JudgeRules,
  auditor: Auditor,
  { owner: by, ...only }: ThawOptions,
): Steps<Freeze | null> {
  yield* step("enter", place.guard);
  try {
    const names = yield* step("list", place.side);
    const status = yield* inspectSteps(place, "", rules);
    const slot = slotMeant(place.key, only, { ...status, isUsed: isUsed(status) });
    const frozen = followNames(yield* lookForFreezes(place, names), status.resources);
    const ended = frozen.filter((each) => slot === null || each.slot === slot);
    for (const each of ended) {
      const { by: frozenBy, reason, since } = each.freeze;
      const details = { key: place.key, by, frozenBy, reason, since };
      const of = each.slot === null ? details : { ...details, slot: each.slot };
      yield* audit(place, auditor, "thaw", place.lock, of);
    }
    for (const { watch } of ended) yield* step("remove", watch.file.path);
    // Freezes whose time is over go as well, without a word.
    const left = slot === null ? [null, ...freezesIn(names)] : [];
    for (const each of left) yield* step("remove", freezePath(place, each));
    return ended[0]?.freeze ?? null;
  } finally {
    yield* step("leave", place.guard);
  }
}
