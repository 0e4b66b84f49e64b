import { PASSES_LIMIT } from "../../src/lock/admission.ts";
import type { MemoryState } from "./memory-world.ts";
import type { Process } from "./process.ts";

/** What must be true of every grant, told apart from the rule that is checked. */

type Fail = (message: string) => never;

/** Those that are in line and ready, and came before that process. */
export function isPassedBy(other: Process, served: Process): boolean {
  return (
    isWaiting(other) &&
    other.life !== served.life &&
    (served.ticket === null || (other.ticket as string) < served.ticket)
  );
}

/** It stands in line, and would take the lock. */
function isWaiting(process: Process): boolean {
  return standsInLine(process) && process.ticket?.includes(".n.") === false;
}

function standsInLine({ phase, ticket, cancelled, isSuperseded }: Process): boolean {
  return phase === "claiming" && ticket !== null && !cancelled && !isSuperseded;
}

/** Where one that wants to be the newest is served, no other such claim waits on: it would be older. */
export function checkNewest(
  { names }: MemoryState,
  processes: readonly Process[],
  { life }: Process,
  fail: Fail,
): void {
  for (const other of processes) {
    const isThere = standsInLine(other) && names.has(other.ticket as string);
    if (isThere && other.life.newest && other.life !== life)
      fail(`process ${other.life.pid} waits on, though process ${life.pid} is newer`);
  }
}

export function passedBy(
  served: Process,
  processes: readonly Process[],
  count: "passed" | "passedAtMost",
): readonly Process[] {
  return processes.map((other) =>
    isPassedBy(other, served) ? { ...other, [count]: other[count] + 1 } : other,
  );
}

/** Nobody is granted anything beside a part of somebody else's lock. */
export function checkHalves(state: MemoryState, fence: number, fail: Fail): void {
  const parts = new Map<string, { slots: string; files: number }>();
  for (const [name, inode] of state.names) {
    const text = state.files.get(inode) ?? "";
    const slots = /^slots_together=(.*)$/m.exec(text)?.[1];
    const grant = /^fence=(\d+)$/m.exec(text)?.[1];
    if (!name.endsWith(".lock") || slots === undefined || grant === undefined) continue;
    if (Number(grant) !== fence)
      parts.set(grant, { slots, files: (parts.get(grant)?.files ?? 0) + 1 });
  }
  for (const [grant, { slots, files }] of parts)
    if (slots.split(",").length !== files)
      fail(`of the slots ${slots} of ${grant}, ${files} are half held`);
}

/** The weights of those that hold never exceed the slots. */
export function checkWeights(processes: readonly Process[], slots: number, fail: Fail): void {
  const holding = processes.filter(({ phase }) => phase === "holding");
  const weight = holding.reduce((sum, { life }) => sum + life.weight, 0);
  if (weight > slots) {
    fail(`${weight} holders at once: ${holding.map(({ life }) => life.pid).join(", ")}`);
  }
}

/**
 * Nobody is served before somebody of its priority who lives, is ready, has not cancelled and stood in
 * line earlier; nor before a higher priority, but where one of its own has been passed often enough; nor
 * once more before one that has. Except for one that was paused, and lost its place by that.
 */
export function checkOrder(
  state: MemoryState,
  processes: readonly Process[],
  granted: Process,
  fail: Fail,
): void {
  const { pid, priority } = granted.life;
  const waiting = processes.filter(
    (other) =>
      other !== granted &&
      isWaiting(other) &&
      (other.pause === "never" || state.names.has(other.ticket as string)),
  );
  const isForced = [granted, ...waiting].some(
    (each) => each.life.priority === priority && each.passedAtMost >= PASSES_LIMIT,
  );
  for (const other of waiting) {
    const who = `process ${pid} was served before ${other.life.pid}`;
    const isEarlier = isPassedBy(other, granted);
    if (isEarlier && other.life.priority === priority) fail(`${who}, which came first`);
    if (other.life.priority > priority && !isForced) fail(`${who}, whose priority is higher`);
    if (isEarlier && other.passed >= PASSES_LIMIT)
      fail(`${who}, which was passed ${other.passed} times`);
  }
}
