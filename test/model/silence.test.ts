import { describe, expect, test } from "vitest";
import type { ProcessMark } from "../../src/machine/processes.ts";
import { writeLock } from "../../src/stores/file/format/format.ts";
import { claimSteps } from "../../src/stores/file/protocol/claim.ts";
import type { StepCall, Watch } from "../../src/stores/file/protocol/world.ts";
import { newClaim, PLACE } from "./lives.ts";
import {
  create,
  DEAD_AFTER,
  emptyState,
  leaveTickets,
  type MemoryState,
  MONOTONIC,
  markOf,
  NOW,
  take,
  tick,
} from "./memory-world.ts";

const GUARDED = { guarded: true };

/** What happens while a claim that has just read a file stands still. */
type Interruption = (state: MemoryState) => void;

/**
 * A claim that is alone with what is before it, which never goes: it wakes whenever it wants to look
 * again. `look` lets it do so that many times; true: it got the lock. Each time it has read that file,
 * `interrupt` is called before it goes on.
 */
function watcher(state: MemoryState, path: string) {
  const steps = claimSteps(newClaim(1, {}));
  let turn = steps.next();
  const perform = (call: StepCall, interrupt: Interruption) => {
    if (call.name === "wait") {
      const { reviewAt } = call.args[0] as Watch;
      state.clock = Math.max(state.clock, (reviewAt ?? MONOTONIC) - MONOTONIC);
    }
    const result = take(state, 1, call, GUARDED);
    if (call.name === "read" && call.args[0] === path) interrupt(state);
    return result;
  };
  return {
    look(times: number, interrupt: Interruption = () => {}): boolean {
      for (let looked = 0; !turn.done && looked < times; ) {
        if (turn.value.name === "wait") looked++;
        turn = steps.next(perform(turn.value, interrupt));
      }
      return turn.done === true;
    },
  };
}

/** Most of dead-after passes without a beat; then the claim stands still, once. */
function standStill(beat: Interruption): Interruption {
  let isOver = false;
  return (state) => {
    if (isOver || state.clock < DEAD_AFTER / 2) return;
    isOver = true;
    beat(state);
  };
}

function lockOf(process: ProcessMark, beat: number): string {
  return writeLock({
    kind: "holdfast",
    format: "sema",
    key: "k",
    owner: "p100",
    note: null,
    metadata: {},
    fence: 1,
    slot: 0,
    slots: 1,
    digest: "d",
    process,
    covered: null,
    run: null,
    acquired: NOW,
    refreshed: NOW,
    refreshedMonotonic: MONOTONIC,
    ttl: 3_600,
    deadAfter: DEAD_AFTER,
    beat,
    beaten: NOW,
  });
}

describe("a stopped claim whose turn comes", () => {
  test("has its whole dead-after from then on, also where the lock was free before, for another one", () => {
    const state = emptyState();
    leaveTickets(state, PLACE.side, { length: 3, where: "stopped" });
    const [first, second, third] = [...state.names.keys()] as [string, string, string];
    const claim = watcher(state, first);
    expect(claim.look(2)).toBe(false);
    // The first takes the lock, for long.
    state.names.delete(first);
    create(state, 100, PLACE.lock, lockOf(markOf(100), 0));
    state.clock += 2 * DEAD_AFTER;
    expect(claim.look(2)).toBe(false);
    // The second takes it as well, for less than the time between two looks.
    state.names.delete(second);
    state.names.delete(PLACE.lock);
    const come = state.clock;
    expect(claim.look(3)).toBe(false);
    expect(state.names.has(third)).toBe(true);
    expect(claim.look(4)).toBe(true);
    expect(state.clock - come).toBeGreaterThanOrEqual(DEAD_AFTER);
  });
});

describe("a claim that stood still for dead-after, after it had read a sign of life,", () => {
  for (const where of ["stopped", "elsewhere"] as const) {
    const whose = where === "stopped" ? "of this machine, whose turn has come," : "elsewhere";
    test(`does not pass over a claim ${whose} that beat in that time`, () => {
      const state = emptyState();
      leaveTickets(state, PLACE.side, { length: 1, where });
      const [path] = [...state.names.keys()] as [string];
      const claim = watcher(state, path);
      const standing = standStill((moment) => tick(moment, [path]));
      expect(claim.look(4, standing)).toBe(false);
      expect(state.clock).toBeGreaterThan(DEAD_AFTER);
      expect(state.names.has(path)).toBe(true);
      // Once it really is silent, it is passed over.
      expect(claim.look(6)).toBe(true);
      expect(state.names.has(path)).toBe(false);
    });
  }

  test("does not take the lock of a holder elsewhere that beat in that time", () => {
    const state = emptyState();
    const elsewhere = { ...markOf(100), host: "elsewhere" };
    const { inode } = create(state, 100, PLACE.lock, lockOf(elsewhere, 0));
    const claim = watcher(state, PLACE.lock);
    const standing = standStill((moment) => {
      tick(moment, []);
      moment.files.set(inode, lockOf(elsewhere, 1));
    });
    expect(claim.look(4, standing)).toBe(false);
    expect(state.clock).toBeGreaterThan(DEAD_AFTER);
    expect(state.names.get(PLACE.lock)).toBe(inode);
    expect(claim.look(6)).toBe(true);
  });
});
