import { join } from "node:path";
import { checkSlot } from "../../../../lock/request.ts";
import type { Holder, Waiter } from "../../../../lock/status.ts";
import type { BreakOptions, BreakResult } from "../../../../lock/store.ts";
import { type Auditor, record as audit } from "../../audit/entry.ts";
import { notALock } from "../../disk/errors.ts";
import type { Place } from "../../disk/place.ts";
import { lineOf } from "../../format/ticket.ts";
import { examineTicket, fenceOf, heldBy, nameOf, type Observations, slotsIn } from "../examine.ts";
import { recall } from "../fence-file.ts";
import { holderOf, inServingOrder, waiterOf } from "../inspect.ts";
import type { JudgeRules } from "../judge.ts";
import { type Steps, step } from "../world.ts";
import { buryAll, settleHolders, underGuard } from "./burial.ts";

/** Breaks a key's locks, dead or alive. Under the guard; each is recorded before it is done. */
export function* breakSteps(
  place: Place,
  rules: JudgeRules,
  auditor: Auditor,
  options: BreakOptions,
): Steps<BreakResult> {
  if (options.slot !== undefined) checkSlot(options.slot);
  return yield* underGuard(place, rules, function* (observations) {
    const broken: Holder[] = [];
    if (options.line)
      return { broken, line: yield* breakLine(place, observations, auditor, options) };
    const slots = Math.max((yield* recall(place)).slots, (options.slot ?? 0) + 1);
    for (const holder of yield* settleHolders(place, slots, rules, observations)) {
      const { lock } = holder;
      if (options.slot !== undefined && !heldBy(lock).includes(options.slot)) continue;
      if (place.linked && lock.record.kind === "unreadable") throw notALock(lock.path);
      const details = {
        key: place.key,
        existingOwner: nameOf(lock),
        fence: fenceOf(lock),
        ...slotsIn(lock),
        reason: options.reason,
        by: options.owner,
      };
      yield* audit(place, auditor, "break", lock.path, details);
      if (yield* buryAll(place, holder)) broken.push(holderOf(holder));
    }
    return { broken };
  });
}

/** Removes the tickets of claims that are not known to live. A claim that does live joins again. */
function* breakLine(
  place: Place,
  observations: Observations,
  auditor: Auditor,
  { reason, owner: by }: BreakOptions,
): Steps<Waiter[]> {
  const removed: Waiter[] = [];
  const memory = yield* recall(place);
  for (const standing of inServingOrder(memory, lineOf(yield* step("list", place.side)))) {
    const found = yield* examineTicket(join(place.side, standing.name), observations);
    if (found === null || found.alive === true) continue;
    const { owner = "unknown" } = found.ticket ?? {};
    const details = { key: place.key, existingOwner: owner, reason, by };
    yield* audit(place, auditor, "break", found.path, details);
    yield* step("remove", found.path);
    removed.push(waiterOf(found, standing, removed.length + 1));
  }
  return removed;
}
