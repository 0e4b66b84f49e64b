import type { HolderEntry, KeyDocument } from "../../../src/stores/document/document.ts";
import type { ModelOptions, Process } from "./explorer.ts";
import { beaconOf, documentOf } from "./world.ts";

/** What must be true of every swap that stands: fences grow, and nobody is served out of turn. */
export function checkSwap(
  from: number,
  to: number,
  options: ModelOptions,
  processes: readonly Process[],
  fail: (message: string) => never,
): void {
  const [before, after] = [documentOf(from), documentOf(to)];
  if (after === null) return;
  if (after.holders.length > after.slots) fail(`${after.holders.length} holders are written`);
  const last = before?.fence ?? 0;
  for (const holder of after.holders) {
    if (before?.holders.some(({ id }) => id === holder.id)) continue;
    if (holder.fence <= last) fail(`the fence ${holder.fence} is not above ${last}`);
    if (options.timely && options.slots === 1) checkOrder(before, holder, processes, fail);
  }
  if ((after.fence ?? 0) < last) fail(`the highest fence went from ${last} to ${after.fence}`);
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
    const other = processes.find(({ life }) => beaconOf(life.pid) === id);
    if (other?.phase === "claiming" && !other.cancelled)
      fail(`${served.id} was served before ${id}, which came first`);
  }
}
