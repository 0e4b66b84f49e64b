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
    const left = yield* leftTickets(place, side, observations);
    left.push(...(yield* leftFreezes(place, side)));
    left.push(...(yield* leftWords(place, side)));
    for (const slot of slots)
      left.push(...(yield* leftTemporaries(slotPath(place, slot), place, temporaries, context)));
    for (const file of [place.guard, place.fence, place.freeze])
      left.push(...(yield* leftUnfinished(file, place, side, context)));
    if (!context.dryRun) for (const { path } of left) yield* step("remove", path);
    removed.push(...left);
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

function* leftTickets(
  place: Place,
  side: readonly string[],
  observations: Observations,
): Steps<Removed[]> {
  const left: Removed[] = [];
  for (const name of lineOf(side)) {
    const found = yield* examineTicket(join(place.side, name), observations);
    const whose = found?.ticket?.owner ?? "an unfinished claim";
    if (found?.dead)
      left.push({ path: found.path, why: `ticket of ${whose}, whose process is gone` });
  }
  return left;
}

/** Temporary files whose process is gone. One lives for less than a millisecond, under the guard. */
function* leftTemporaries(
  lock: string,
  place: Place,
  names: readonly string[],
  { rules }: CleanContext,
): Steps<Removed[]> {
  const left: Removed[] = [];
  for (const name of names) {
    const pid = temporaryPid(lock, name);
    if (pid === null) continue;
    const path = join(place.directory, name);
    const view = yield* step("read", path);
    if (view === null) continue;
    const alive = yield* step("alive", markOfPid(pid, rules));
    const age = (yield* step("now")) - view.modified;
    // If the pid is another machine's after all, its claim makes the file again.
    if (alive === false || age >= rules.staleTimeout)
      left.push({ path, why: `temporary file of process ${pid}` });
  }
  return left;
}

function* leftFreezes(place: Place, side: readonly string[]): Steps<Removed[]> {
  const inForce = (yield* lookForFreezes(place, side)).map(({ slot }) => slot);
  const slots = side.includes(FREEZE_NAME) ? [null, ...freezesIn(side)] : freezesIn(side);
  return slots
    .filter((each) => !inForce.includes(each))
    .map((slot) => ({ path: freezePath(place, slot), why: "a freeze whose time is over" }));
}

/** Words for superseded claims that can no longer read them. */
function* leftWords(place: Place, side: readonly string[]): Steps<Removed[]> {
  const left: Removed[] = [];
  for (const name of supersessionsIn(side)) {
    const path = join(place.side, name);
    const view = yield* step("read", path);
    if (view === null) continue;
    // A word that cannot be read is from a crash: words are written under the guard.
    const found = parseSupersession(view.content);
    const alive = found === null ? false : yield* step("alive", found.process);
    const age = (yield* step("now")) - view.modified;
    // A claim of another machine looks at once. If it has not looked for so long, it never will.
    if (alive === false || (alive === null && age >= TICKET_SILENCE_LIMIT_MS))
      left.push({ path, why: "what a superseded claim was to be told, which is gone" });
  }
  return left;
}

/**
 * What a crash left while a side file was made, judged by the pid alone: such a file may be a second name of the
 * guard itself, and closing any descriptor of the guard would drop this process's lock on it.
 */
function* leftUnfinished(
  file: string,
  place: Place,
  side: readonly string[],
  { rules }: CleanContext,
): Steps<Removed[]> {
  const left: Removed[] = [];
  for (const name of side) {
    const pid = temporaryPid(file, name);
    if (pid === null || (yield* step("alive", markOfPid(pid, rules))) !== false) continue;
    left.push({ path: join(place.side, name), why: `temporary file of process ${pid}` });
  }
  return left;
}

function markOfPid(pid: number, { hostname }: JudgeRules): ProcessMark {
  return { pid, start: null, boot: null, namespace: null, host: hostname };
}
