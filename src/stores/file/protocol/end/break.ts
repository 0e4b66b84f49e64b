import { checkSlot } from "../../../../lock/request.ts";
import type { Holder } from "../../../../lock/status.ts";
import type { BreakOptions } from "../../../../lock/store.ts";
import { type Auditor, record as audit } from "../../audit/entry.ts";
import { notALock } from "../../disk/errors.ts";
import type { Place } from "../../disk/place.ts";
import { examineSlot, fenceOf, nameOf, Sightings } from "../examine.ts";
import { recall } from "../fence-file.ts";
import { holderOf } from "../inspect.ts";
import type { JudgeRules } from "../judge.ts";
import { type Steps, step } from "../world.ts";
import { bury, finishBurials } from "./burial.ts";

/** Breaks a key's locks, dead or alive. Under the guard; each is recorded before it is done. */
export function* breakSteps(
  place: Place,
  rules: JudgeRules,
  auditor: Auditor,
  options: BreakOptions,
): Steps<Holder[]> {
  const broken: Holder[] = [];
  if (options.slot !== undefined) checkSlot(options.slot);
  yield* step("enter", place.guard);
  try {
    const sightings = new Sightings();
    yield* finishBurials(place, yield* step("list", place.side), rules, sightings);
    const memory = yield* recall(place);
    for (let slot = 0; slot < Math.max(memory.slots, (options.slot ?? 0) + 1); slot++) {
      if (options.slot !== undefined && slot !== options.slot) continue;
      const lock = yield* examineSlot(place, slot, rules, sightings);
      if (lock === null) continue;
      if (place.linked && lock.record.kind === "unreadable") throw notALock(lock.path);
      const details = {
        key: place.key,
        existingOwner: nameOf(lock),
        fence: fenceOf(lock),
        slot,
        reason: options.reason,
        by: options.owner,
      };
      yield* audit(place, auditor, "break", lock.path, details);
      if (yield* bury(place, lock)) broken.push(holderOf(lock));
    }
  } finally {
    yield* step("leave", place.guard);
  }
  return broken;
}
