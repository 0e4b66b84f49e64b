import { join } from "node:path";
import type { CleanResult } from "../../../../lock/store.ts";
import type { ProcessMark } from "../../../../machine/processes.ts";
import { type Auditor, record as audit } from "../../audit/entry.ts";
import {
  FREEZE_NAME,
  freezePath,
  freezesIn,
  gravesIn,
  type Place,
  slotPath,
  temporaryPid,
} from "../../disk/place.ts";
import { lineOf, parseSupersession, supersessionsIn } from "../../format/ticket.ts";
import {
  examineHolders,
  examineTicket,
  fenceOf,
  nameOf,
  Observations,
  type Occupant,
  slotsIn,
  TICKET_SILENCE_LIMIT_MS,
} from "../examine.ts";
import { lookForFreezes } from "../frozen.ts";
import type { JudgeRules } from "../judge.ts";
import { type Steps, step } from "../world.ts";
import { buryAll, finishBurials } from "./burial.ts";

type Removed = CleanResult["removed"][number];

export interface CleanContext {
  readonly rules: JudgeRules;
  readonly auditor: Auditor;
  readonly dryRun: boolean;
  readonly by: string;
}

/** Whether there is anything to clean of a key, seen without its guard: the key may not even have one yet. */
export function* needsCleaning(
  place: Place,
  slots: readonly number[],
  temporaries: readonly string[],
  context: CleanContext,
): Steps<boolean> {
  if (gravesIn(yield* step("list", place.side)).length > 0) return true;
  const found = yield* cleanSteps(place, slots, temporaries, { ...context, dryRun: true });
  return found.length > 0;
}

/**
 * Cleans one key of what dead processes left: locks, tickets, graves, temporary files; and of a freeze
 * whose time is over. Under the guard.
 */
export function* cleanSteps(
  place: Place,
  slots: readonly number[],
  temporaries: readonly string[],
  context: CleanContext,
): Steps<Removed[]> {
  const removed: Removed[] = [];
  if (!context.dryRun) yield* step("enter", place.guard);
  try {
    const observations = new Observations();
    const side = yield* step("list", place.side);
    if (!context.dryRun) yield* finishBurials(place, side, context.rules, observations);
    const end = (slots.at(-1) ?? 0) + 1;
    for (const holder of yield* examineHolders(place, end, context.rules, observations))
      removed.push(...(yield* cleanHolder(place, holder, context)));
    for (const name of lineOf(side)) {
      const found = yield* examineTicket(join(place.side, name), observations);
      if (found === null || !found.dead) continue;
      if (!context.dryRun) yield* step("remove", found.path);
      removed.push({
        path: found.path,
        why: `ticket of ${found.ticket?.owner ?? "an unfinished claim"}, whose process is gone`,
      });
    }
    removed.push(...(yield* cleanFreeze(place, side, context)));
    removed.push(...(yield* cleanSupersessions(place, side, context)));
    for (const slot of slots)
      removed.push(
        ...(yield* cleanTemporaries(slotPath(place, slot), place, temporaries, context)),
      );
    for (const file of [place.guard, place.fence, place.freeze])
      removed.push(...(yield* cleanUnfinished(file, place, side, context)));
  } finally {
    if (!context.dryRun) yield* step("leave", place.guard);
  }
  return removed;
}

function* cleanHolder(place: Place, holder: Occupant, context: CleanContext): Steps<Removed[]> {
  const { lock, isWhole } = holder;
  const { vitality } = lock.verdict;
  const isOver = !isWhole || vitality === "dead" || vitality === "expired";
  if (!isOver) return [];
  const reason = vitality === "expired" ? "LOCK_EXPIRED" : "HOLDER_DEAD";
  if (!context.dryRun) {
    const details = {
      key: place.key,
      existingOwner: nameOf(lock),
      reason,
      fence: fenceOf(lock),
      ...slotsIn(lock),
      by: context.by,
    };
    yield* audit(place, context.auditor, "clean", lock.path, details);
    if (!(yield* buryAll(place, holder))) return [];
  }
  return holder.locks.map(({ path }) => ({ path, why: `lock of ${nameOf(lock)}: ${reason}` }));
}

/** Removes temporary files whose process is gone. One lives for less than a millisecond, under the guard. */
function* cleanTemporaries(
  lock: string,
  place: Place,
  names: readonly string[],
  context: CleanContext,
): Steps<Removed[]> {
  const removed: Removed[] = [];
  for (const name of names) {
    const pid = temporaryPid(lock, name);
    if (pid === null) continue;
    const path = join(place.directory, name);
    const view = yield* step("read", path);
    if (view === null) continue;
    const alive = yield* step("alive", markOfPid(pid, context));
    const age = (yield* step("now")) - view.modified;
    // If the pid is another machine's after all, its claim makes the file again.
    if (alive !== false && age < context.rules.staleTimeout) continue;
    if (!context.dryRun) yield* step("remove", path);
    removed.push({ path, why: `temporary file of process ${pid}` });
  }
  return removed;
}

function* cleanFreeze(
  place: Place,
  side: readonly string[],
  context: CleanContext,
): Steps<Removed[]> {
  const removed: Removed[] = [];
  const inForce = (yield* lookForFreezes(place, side)).map(({ slot }) => slot);
  const slots = side.includes(FREEZE_NAME) ? [null, ...freezesIn(side)] : freezesIn(side);
  for (const slot of slots.filter((each) => !inForce.includes(each))) {
    const path = freezePath(place, slot);
    if (!context.dryRun) yield* step("remove", path);
    removed.push({ path, why: "a freeze whose time is over" });
  }
  return removed;
}

/** Removes words for superseded claims that can no longer read them. */
function* cleanSupersessions(
  place: Place,
  side: readonly string[],
  context: CleanContext,
): Steps<Removed[]> {
  const removed: Removed[] = [];
  for (const name of supersessionsIn(side)) {
    const path = join(place.side, name);
    const view = yield* step("read", path);
    if (view === null) continue;
    // A word that cannot be read is from a crash: words are written under the guard.
    const found = parseSupersession(view.content);
    const alive = found === null ? false : yield* step("alive", found.process);
    const age = (yield* step("now")) - view.modified;
    // A claim of another machine looks at once. If it has not looked for so long, it never will.
    if (alive === true || (alive === null && age < TICKET_SILENCE_LIMIT_MS)) continue;
    if (!context.dryRun) yield* step("remove", path);
    removed.push({ path, why: "what a superseded claim was to be told, which is gone" });
  }
  return removed;
}

/**
 * Removes what a crash left while a side file was made, judged by the pid alone: such a file may be a second
 * name of the guard itself, and closing any descriptor of the guard would drop this process's lock on it.
 */
function* cleanUnfinished(
  file: string,
  place: Place,
  side: readonly string[],
  context: CleanContext,
): Steps<Removed[]> {
  const removed: Removed[] = [];
  for (const name of side) {
    const pid = temporaryPid(file, name);
    if (pid === null || (yield* step("alive", markOfPid(pid, context))) !== false) continue;
    const path = join(place.side, name);
    if (!context.dryRun) yield* step("remove", path);
    removed.push({ path, why: `temporary file of process ${pid}` });
  }
  return removed;
}

function markOfPid(pid: number, context: CleanContext): ProcessMark {
  return { pid, start: null, boot: null, namespace: null, host: context.rules.hostname };
}
