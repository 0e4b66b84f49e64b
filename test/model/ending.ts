import { cleanSteps } from "../../src/stores/file/protocol/end/clean.ts";
import type { Steps } from "../../src/stores/file/protocol/world.ts";
import { life, PLACE } from "./lives.ts";
import { type MemoryState, take } from "./memory-world.ts";

const NEWCOMER = 9;

/**
 * What must be true when everybody has ended or crashed: somebody new gets the lock at once, with a
 * higher fence, and after a `clean` nothing is left but what the key remembers.
 */
export function checkEnding(state: MemoryState, lastFence: number): void {
  // Who could have thawed it has crashed.
  if (state.dead.size > 0 && state.names.has(PLACE.freeze)) return;
  if (state.dead.size === 0) expectNothingLeft(state, "although nobody crashed");
  let granted = false;
  const newcomer = life(NEWCOMER, { mayWait: false }).run((event) => {
    granted ||= event === "granted";
  });
  runAlone(state, newcomer);
  if (!granted) throw new Error("a newcomer does not get the lock");
  const fence = Number(/fence=(\d+)/.exec(contentOf(state, PLACE.fence))?.[1]);
  if (fence <= lastFence)
    throw new Error(`the newcomer's fence ${fence} is not above ${lastFence}`);
  const rules = { staleTimeout: 3_600_000, staleRule: "both", hostname: "host" } as const;
  const context = { rules, auditor: { user: "u", pid: NEWCOMER }, dryRun: false, by: "newcomer" };
  const names = onDisk(state).map((name) => name.slice("/s/".length));
  runAlone(state, cleanSteps(PLACE, [0, 1], names, context));
  expectNothingLeft(state, "after clean");
}

function expectNothingLeft(state: MemoryState, when: string): void {
  const left = onDisk(state).filter((name) => name !== PLACE.fence);
  if (left.length > 0) throw new Error(`${when} these are left: ${left.join(", ")}`);
}

/** A pipe between two processes is no file: it ends with them. */
function onDisk(state: MemoryState): string[] {
  return [...state.names.keys()].filter((name) => name.startsWith("/s/"));
}

function contentOf(state: MemoryState, path: string): string {
  return state.files.get(state.names.get(path) ?? "") ?? "";
}

function runAlone(state: MemoryState, steps: Steps<unknown>): void {
  let turn = steps.next();
  while (!turn.done) turn = steps.next(take(state, NEWCOMER, turn.value, { guarded: true }));
}
