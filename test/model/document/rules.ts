import { PASSES_LIMIT } from "../../../src/lock/admission.ts";
import type { HolderEntry, KeyDocument } from "../../../src/stores/document/document.ts";

/** A swap by which a claim was served. */
export interface Service {
  readonly before: KeyDocument | null;
  readonly after: KeyDocument;
  readonly served: Pick<HolderEntry, "id">;
  /** How many slots are still free after it. */
  readonly room: number;
  /** Whether a claim of the line is there, and not to be dropped. */
  readonly waits: (id: string) => boolean;
  readonly rankOf: (id: string) => { readonly weight: number; readonly priority: number };
}

/**
 * The rules of order. They are told in other words than those of the shipped code: of any two claims
 * that may not pass each other, the later one is not served while there is no room left for the earlier.
 */
export function checkRules(
  { before, after, served, room, waits, rankOf }: Service,
  fail: (message: string) => void,
): void {
  const line = before?.line ?? [];
  const found = line.findIndex(({ id }) => id === served.id);
  const own = found === -1 ? line.length : found;
  const { priority } = rankOf(served.id);
  const waiting = line.flatMap(({ id, passed = 0, ready }, place) => {
    const isServed = after.holders.some((holder) => holder.id === id);
    if (isServed || ready === false || !waits(id)) return [];
    return [{ id, passed, isPassed: place < own, ...rankOf(id) }];
  });
  const refuse = (harmed: typeof waiting, why: string) => {
    const needed = harmed.reduce((sum, { weight }) => sum + weight, 0);
    if (needed > room) fail(`${served.id} was served before ${harmed[0]?.id}, which ${why}`);
  };
  const passed = waiting.filter(({ isPassed }) => isPassed);
  const ofSame = passed.filter((each) => each.priority === priority);
  refuse(ofSame, "came first");
  const urgent = passed.filter((each) => each.passed >= PASSES_LIMIT);
  refuse(urgent, "was passed often enough");
  // A claim that may not be passed any more takes those before it of its own priority with it.
  const isUrgent = line.some((each) => (each.passed ?? 0) >= PASSES_LIMIT);
  const higher = waiting.filter((each) => each.priority > priority);
  if (!isUrgent) refuse(higher, "has a higher priority");
  for (const { id, passed: times, weight } of passed) {
    const now = after.line.find((each) => each.id === id);
    if (now === undefined || weight <= room || times >= PASSES_LIMIT) continue;
    if ((now.passed ?? 0) <= times) fail(`${id} was passed by ${served.id}, and did not count it`);
  }
}
