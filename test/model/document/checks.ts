import type { HolderEntry, KeyDocument } from "../../../src/stores/document/document.ts";
import type { Process } from "./process.ts";
import { documentOf, sessionOf } from "./world.ts";

/** What must be true of every swap that stands: fences grow, and nobody is served out of turn. */
export function checkSwap(
  from: number,
  to: number,
  options: { readonly timely: boolean; readonly slots: number },
  processes: readonly Process[],
  fail: (message: string) => never,
): void {
  const [before, after] = [documentOf(from), documentOf(to)];
  if (after === null) return;
  if (after.holders.length > after.slots) fail(`${after.holders.length} holders are written`);
  const last = before?.fence ?? 0;
  for (const holder of after.holders) {
    if (before?.holders.some(({ id }) => id === holder.id)) continue;
    if (before?.freeze != null && after.freeze !== null)
      fail(`${holder.id} was served while the key was frozen`);
    if (before?.superseded.some(({ id }) => id === holder.id))
      fail(`${holder.id} was served, though it was superseded`);
    if (holder.fence <= last) fail(`the fence ${holder.fence} is not above ${last}`);
    if (options.timely && options.slots === 1) checkOrder(before, holder, processes, fail);
  }
  checkSuperseded(before, after, processes, fail);
  if ((after.fence ?? 0) < last) fail(`the highest fence went from ${last} to ${after.fence}`);
}

/** Only claims in line that want to be the newest are ended, by one like them; and they stay ended. */
function checkSuperseded(
  before: KeyDocument | null,
  after: KeyDocument,
  processes: readonly Process[],
  fail: (message: string) => never,
): void {
  const ended = new Set(before?.superseded.map(({ id }) => id));
  const wantsIt = (id: string) =>
    processes.find(({ life }) => sessionOf(life.pid) === id)?.life.newest === true;
  for (const { id } of after.superseded) {
    if (ended.has(id)) continue;
    if (before?.line.every((waiter) => waiter.id !== id)) fail(`${id} was superseded out of line`);
    if (!wantsIt(id)) fail(`${id} was superseded, though it waits in order of arrival`);
    if (!after.line.some((waiter) => wantsIt(waiter.id))) fail(`${id} was superseded by nobody`);
  }
  for (const { id } of after.line)
    if (ended.has(id)) fail(`${id} joined again, though it was superseded`);
}

/** Nobody is served before a claim that lives, has not been cancelled and stood in line earlier. */
function checkOrder(
  before: KeyDocument | null,
  served: HolderEntry,
  processes: readonly Process[],
  fail: (message: string) => never,
): void {
  for (const { id } of before?.line ?? []) {
    if (id === served.id) return;
    const other = processes.find(({ life }) => sessionOf(life.pid) === id);
    if (other?.phase === "claiming" && !other.cancelled)
      fail(`${served.id} was served before ${id}, which came first`);
  }
}
