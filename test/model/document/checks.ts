import {
  type HolderEntry,
  type KeyDocument,
  slotsOf,
} from "../../../src/stores/document/document.ts";
import type { Process } from "./process.ts";
import { checkRules } from "./rules.ts";
import { documentOf, sessionOf } from "./world.ts";

/** What must be true of every swap that stands: fences grow, and nobody is served out of turn. */
export function checkSwap(
  from: number,
  to: number,
  options: { readonly timely: boolean },
  processes: readonly Process[],
  fail: (message: string) => never,
): void {
  const [before, after] = [documentOf(from), documentOf(to)];
  if (after === null) return;
  if (weightsOf(after, processes) > after.slots)
    fail(`${after.holders.length} holders are written: too many for ${after.slots} slots`);
  const held = after.holders.flatMap(slotsOf);
  if (new Set(held).size < held.length) fail(`a slot has two holders: ${held.join(", ")}`);
  const last = before?.fence ?? 0;
  for (const holder of after.holders) {
    if (before?.holders.some(({ id }) => id === holder.id)) continue;
    if (before?.freeze != null && after.freeze !== null)
      fail(`${holder.id} was served while the key was frozen`);
    if (before?.superseded.some(({ id }) => id === holder.id))
      fail(`${holder.id} was served, though it was superseded`);
    if (holder.fence <= last) fail(`the fence ${holder.fence} is not above ${last}`);
    if (options.timely) checkRulesOf(before, after, holder, processes, fail);
  }
  checkSuperseded(before, after, processes, fail);
  if ((after.fence ?? 0) < last) fail(`the highest fence went from ${last} to ${after.fence}`);
}

/** Only claims in line that want to be the newest are ended, all of them, by one like them that comes; and they stay ended. */
function checkSuperseded(
  before: KeyDocument | null,
  after: KeyDocument,
  processes: readonly Process[],
  fail: (message: string) => never,
): void {
  const ended = new Set(before?.superseded.map(({ id }) => id));
  const wantsIt = (id: string) =>
    processes.find(({ life }) => sessionOf(life.pid) === id)?.life.newest === true;
  const isIn = (document: KeyDocument | null, id: string) =>
    [...(document?.line ?? []), ...(document?.holders ?? [])].some((each) => each.id === id);
  const newer = [...after.line, ...after.holders].find(
    ({ id }) => wantsIt(id) && !isIn(before, id),
  )?.id;
  for (const { id } of after.superseded) {
    if (ended.has(id)) continue;
    if (before?.line.every((waiter) => waiter.id !== id)) fail(`${id} was superseded out of line`);
    if (!wantsIt(id)) fail(`${id} was superseded, though it waits in order of arrival`);
    if (newer === undefined) fail(`${id} was superseded by nobody`);
  }
  for (const { id } of newer === undefined ? [] : after.line)
    if (id !== newer && wantsIt(id)) fail(`${id} waits on, though ${newer} is newer`);
  for (const { id } of after.line)
    if (ended.has(id)) fail(`${id} joined again, though it was superseded`);
}

/** The three rules, for the claims of processes that are still there. */
function checkRulesOf(
  before: KeyDocument | null,
  after: KeyDocument,
  served: HolderEntry,
  processes: readonly Process[],
  fail: (message: string) => never,
): void {
  const claimOf = (id: string) => processes.find(({ life }) => sessionOf(life.pid) === id);
  if (claimOf(served.id)?.isReady === false) fail(`${served.id} was served, and was not ready`);
  const waits = (id: string) => {
    const claim = claimOf(id);
    return claim?.phase === "claiming" && !claim.cancelled;
  };
  const rankOf = (id: string) => claimOf(id)?.life ?? { weight: 1, priority: 0 };
  const room = after.slots - weightsOf(after, processes);
  checkRules({ before, after, served, room, waits, rankOf }, fail);
}

/** How many slots the holders of a document asked for, whatever it says itself. */
function weightsOf({ holders }: KeyDocument, processes: readonly Process[]): number {
  const weights = holders.map(
    ({ id }) => processes.find(({ life }) => sessionOf(life.pid) === id)?.life.weight ?? 1,
  );
  return weights.reduce((sum, weight) => sum + weight, 0);
}
