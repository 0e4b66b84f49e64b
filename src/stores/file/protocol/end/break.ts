import { join } from "node:path";
import { checkSlot } from "../../../../lock/request.ts";
import type { Holder, Waiter } from "../../../../lock/status.ts";
import { PLAIN_WAITER } from "../../../../lock/status.ts";
import type { BreakOptions, BreakResult } from "../../../../lock/store.ts";
import { type Auditor, record as audit } from "../../audit/entry.ts";
import { notALock } from "../../disk/errors.ts";
import type { Place } from "../../disk/place.ts";
import { lineOf } from "../../format/ticket.ts";
import { examineSlot, examineTicket, fenceOf, nameOf, Sightings } from "../examine.ts";
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
): Steps<BreakResult> {
  const broken: Holder[] = [];
  if (options.slot !== undefined) checkSlot(options.slot);
  yield* step("enter", place.guard);
  try {
    const sightings = new Sightings();
    yield* finishBurials(place, yield* step("list", place.side), rules, sightings);
    if (options.line) return { broken, line: yield* breakLine(place, sightings, auditor, options) };
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
  return { broken };
}

/** Removes the tickets of claims that are not known to live. One that lives all the same joins again. */
function* breakLine(
  place: Place,
  sightings: Sightings,
  auditor: Auditor,
  { reason, owner: by }: BreakOptions,
): Steps<Waiter[]> {
  const removed: Waiter[] = [];
  for (const name of lineOf(yield* step("list", place.side))) {
    const found = yield* examineTicket(join(place.side, name), sightings);
    if (found === null || found.alive === true) continue;
    const { owner = "unknown", note = null, metadata = {} } = found.ticket ?? {};
    const details = { key: place.key, existingOwner: owner, reason, by };
    yield* audit(place, auditor, "break", found.path, details);
    yield* step("remove", found.path);
    const since = new Date(found.ticket?.since ?? 0).toISOString();
    const position = removed.length + 1;
    removed.push({
      owner,
      since,
      position,
      ...PLAIN_WAITER,
      alive: found.alive,
      note,
      metadata,
    });
  }
  return removed;
}
