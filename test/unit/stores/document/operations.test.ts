import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  emptyDocument,
  freeSlots,
  type KeyDocument,
  slotsOf,
} from "../../../../src/stores/document/document.ts";
import {
  join,
  LINE_LIMIT,
  share,
  sign,
  take,
} from "../../../../src/stores/document/operations/claim.ts";
import { breakHolders, leave, release } from "../../../../src/stores/document/operations/end.ts";
import {
  freeze,
  isFreezeOf,
  renew,
  seal,
  thaw,
} from "../../../../src/stores/document/operations/keep.ts";
import { nextOf } from "../../../../src/stores/document/operations/line.ts";
import {
  isRefusal,
  type Lives,
  type Moment,
  type Outcome,
  remembers,
} from "../../../../src/stores/document/operations/state.ts";
import { checkRules } from "../../../model/document/rules.ts";
import { claimantOf, KEY } from "./kit.ts";

const NOW = 1_794_000_000_000;
const IDS = ["a", "b", "c", "d", "e", "f"];

interface Act {
  readonly kind:
    | "take"
    | "join"
    | "leave"
    | "release"
    | "renew"
    | "break"
    | "freeze"
    | "thaw"
    | "sign"
    | "seal";
  readonly id: string;
  readonly slots: number;
  readonly weight: number;
  readonly priority: number;
  readonly isReady: boolean;
  /** Of a freeze and a thaw; null: of the whole key. */
  readonly slot: number | null;
  readonly alive: boolean | null;
  /** The clock may go back. */
  readonly skip: number;
}

const ACT: fc.Arbitrary<Act> = fc.record({
  kind: fc.constantFrom(
    "take",
    "join",
    "leave",
    "release",
    "renew",
    "break",
    "freeze",
    "thaw",
    "sign",
    "seal",
  ),
  id: fc.constantFrom(...IDS),
  slots: fc.constantFrom(1, 2, 2, 2, 3),
  weight: fc.constantFrom(1, 1, 2),
  priority: fc.constantFrom(0, 0, 1),
  isReady: fc.constantFrom(true, true, false),
  slot: fc.constantFrom(null, 0, 1),
  alive: fc.constantFrom(true, false, null),
  skip: fc.integer({ min: -60_000, max: 60_000 }),
});

function apply(document: KeyDocument, act: Act, moment: Moment): Outcome {
  const { kind, id, slots, alive, priority, isReady, slot } = act;
  const rank = { weight: Math.min(act.weight, slots), priority };
  const waiter = { ...claimantOf(id), ...rank, ...(isReady ? {} : { ready: isReady }) };
  const lives: Lives = () => alive;
  const joined = new Date(moment.now).toISOString();
  switch (kind) {
    case "take":
      return take(
        document,
        { claimant: claimantOf(id), rank, slots, waited: 0, reclaim: [], drop: [] },
        moment,
      );
    case "join":
      return join(document, { waiter: { ...waiter, joined }, slots, drop: [] }, moment);
    case "leave":
      return leave(document, { id }, lives, moment);
    case "release":
      return release(document, { id }, lives, moment);
    case "renew":
      return renew(document, { id, refreshes: true }, moment);
    case "break":
      return breakHolders(document, { reason: "test", by: "tester" }, lives, moment);
    case "freeze":
      return freeze(document, { by: "tester", reason: "test", duration: null, slot }, moment);
    case "thaw":
      return thaw(document, { by: "someone", ends: isFreezeOf(slot) }, lives, moment);
    case "sign":
      return sign(document, claimantOf(id), moment);
    case "seal":
      return seal(document, moment);
  }
}

function walk(
  acts: readonly Act[],
  check: (before: KeyDocument, after: KeyDocument, act: Act) => void,
) {
  let document = emptyDocument(KEY);
  let now = NOW;
  for (const [index, act] of acts.entries()) {
    now += act.skip;
    const next = apply(document, act, { now, shared: true, nonce: `n${index}` });
    if (isRefusal(next)) continue;
    check(document, next, act);
    document = next;
  }
}

const ACTS = fc.array(ACT, { maxLength: 60 });

describe("whatever is done to a document", () => {
  test("never more holders than slots, each in a slot of its own, and nobody twice", () => {
    fc.assert(
      fc.property(ACTS, (acts) =>
        walk(acts, (_, { holders, line, slots }) => {
          const held = holders.flatMap(slotsOf);
          expect(held.length).toBeLessThanOrEqual(slots);
          expect(new Set(held).size).toBe(held.length);
          expect(held.every((slot) => slot < slots)).toBe(true);
          const all = [...holders, ...line].map(({ id }) => id);
          expect(new Set(all).size).toBe(all.length);
        }),
      ),
    );
  });

  test("fences only grow, also when the clock goes back", () => {
    fc.assert(
      fc.property(ACTS, (acts) =>
        walk(acts, (before, after) => {
          const fresh = after.holders.filter(
            ({ id }) => !before.holders.some((each) => each.id === id),
          );
          for (const { fence } of fresh) expect(fence).toBeGreaterThan(before.fence ?? 0);
          expect(after.fence ?? 0).toBeGreaterThanOrEqual(before.fence ?? 0);
        }),
      ),
    );
  });

  test("the first fence of a key that was wiped is above those that were given in the same second", () => {
    const request = { claimant: claimantOf("a"), slots: 1, waited: 0, reclaim: [], drop: [] };
    // A process that was told the second alone, by the engine's clock.
    const moment = { now: NOW, shared: true, nonce: "n" };
    const taken = take(emptyDocument(KEY), request, moment);
    expect(isRefusal(taken) ? null : taken.fence).toBeGreaterThan((NOW + 999) * 1_000);
  });

  test("a state has a nonce of its own and remembers those before it", () => {
    fc.assert(
      fc.property(ACTS, (acts) =>
        walk(acts, (before, after) => {
          expect(after.nonce).not.toBe(before.nonce);
          expect(remembers(before, after.nonce)).toBe(false);
          if (before.nonce !== "") expect(remembers(after, before.nonce)).toBe(true);
        }),
      ),
    );
  });

  test("nobody is promoted but the first in line that is known to live, and nobody while it is frozen", () => {
    fc.assert(
      fc.property(ACTS, (acts) =>
        walk(acts, (before, after, act) => {
          const fresh = after.holders.filter(
            ({ id }) => !before.holders.some((each) => each.id === id),
          );
          const promoted = fresh.filter(({ id }) => !(act.kind === "take" && act.id === id));
          if (promoted.length === 0) return;
          expect(act.alive).toBe(true);
          expect(act.kind === "thaw" || before.freeze === null).toBe(true);
          // A claim that leaves, or takes its turn, is not promoted; what others do may promote it.
          const goes = act.kind === "leave" || act.kind === "take" ? act.id : null;
          const waiting = before.line.filter(({ id, ready }) => id !== goes && ready !== false);
          const ids = waiting.map(({ id }) => id);
          for (const { id } of promoted) expect(ids).toContain(id);
          // Where priorities differ, the rules are judged below.
          if (waiting.some(({ priority }) => priority !== 0)) return;
          expect(promoted.map(({ id }) => ids.indexOf(id)).sort()).toEqual([...promoted.keys()]);
        }),
      ),
    );
  });

  test("the line keeps its order, and whoever is served in it is served by the rules", () => {
    fc.assert(
      fc.property(ACTS, (acts) =>
        walk(acts, (before, after, act) => {
          const kept = before.line.filter(({ id }) => after.line.some((each) => each.id === id));
          expect(after.line.slice(0, kept.length).map(({ id }) => id)).toEqual(
            kept.map(({ id }) => id),
          );
          const room = after.slots - after.holders.flatMap(slotsOf).length;
          const waits = (id: string) => after.line.some((each) => each.id === id);
          const rankOf = (id: string) => {
            const { weight = 1, priority = 0 } = before.line.find((each) => each.id === id) ?? act;
            return { weight, priority };
          };
          for (const served of after.holders) {
            if (before.holders.some(({ id }) => id === served.id)) continue;
            checkRules({ before, after, served, room, waits, rankOf }, (fault) => {
              throw new Error(fault);
            });
          }
        }),
      ),
    );
  });

  test("a turn has a name exactly while somebody in line may enter", () => {
    fc.assert(
      fc.property(ACTS, (acts) =>
        walk(acts, (before, after) => {
          const next = nextOf(after.line);
          const isOpen = next !== null && (next.weight ?? 1) <= freeSlots(after);
          expect(after.turn !== null).toBe(isOpen);
          const another = nextOf(before.line)?.id !== next?.id || before.fence !== after.fence;
          if (isOpen && another) expect(after.turn).toBe(after.nonce);
        }),
      ),
    );
  });

  test("every hold that ends is remembered, the latest 50", () => {
    fc.assert(
      fc.property(ACTS, (acts) =>
        walk(acts, (before, after) => {
          const gone = before.holders.filter(
            ({ id }) => !after.holders.some((each) => each.id === id),
          );
          const fences = after.holds.slice(0, gone.length).map(({ fence }) => fence);
          expect(fences.sort()).toEqual(gone.map(({ fence }) => fence).sort());
          expect(after.holds.length).toBeLessThanOrEqual(50);
        }),
      ),
    );
  });

  test("no slot that is frozen by itself is given out", () => {
    fc.assert(
      fc.property(ACTS, (acts) =>
        walk(acts, (before, after, act) => {
          const frozen = (before.frozenSlots ?? []).map(({ slot }) => slot);
          if (act.kind === "thaw") return;
          for (const served of after.holders)
            if (!before.holders.some(({ id }) => id === served.id))
              expect(slotsOf(served).filter((slot) => frozen.includes(slot))).toEqual([]);
        }),
      ),
    );
  });
});

describe("operations one by one", () => {
  const moment = (nonce: string): Moment => ({ now: NOW, shared: true, nonce });
  const ok = (outcome: Outcome): KeyDocument => {
    if (isRefusal(outcome)) throw new Error(`refused: ${outcome.refused}`);
    return outcome;
  };
  const plain = { slots: 1, waited: 0, reclaim: [], drop: [] };
  const held = ok(take(emptyDocument(KEY), { claimant: claimantOf("a"), ...plain }, moment("1")));
  const joined = new Date(NOW).toISOString();
  const waiting = (id: string, newest = false) => ({ ...claimantOf(id), joined, newest });

  test("a dead waiter is dropped, an unknown one is waited for", () => {
    const two = ["b", "c"].reduce(
      (document, id) => ok(join(document, { waiter: waiting(id), slots: 1, drop: [] }, moment(id))),
      held,
    );
    const deadFirst: Lives = ({ id }) => id !== "b";
    const promoted = ok(release(two, { id: "a" }, deadFirst, moment("2")));
    expect(promoted.holders.map(({ id }) => id)).toEqual(["c"]);
    expect(promoted.line).toEqual([]);
    const unknown: Lives = ({ id }) => (id === "b" ? null : true);
    const free = ok(release(two, { id: "a" }, unknown, moment("2")));
    expect(free.holders).toEqual([]);
    expect(free.line.map(({ id }) => id)).toEqual(["b", "c"]);
  });

  test("a job that lives is not promoted: its claim may have been given up", () => {
    const life = { kind: "heartbeat" } as const;
    const line = ok(
      join(held, { waiter: { ...waiting("b"), life }, slots: 1, drop: [] }, moment("b")),
    );
    expect(ok(release(line, { id: "a" }, () => true, moment("2"))).holders).toEqual([]);
  });

  test("a reclaimed hold says by whom and why, and its successor's fence is higher", () => {
    const reclaim = [{ id: "a", reason: "HOLDER_DEAD" }] as const;
    const after = ok(take(held, { claimant: claimantOf("b"), ...plain, reclaim }, moment("2")));
    expect(after.taken[0]).toEqual({
      fence: held.fence,
      by: "owner-b",
      reason: "HOLDER_DEAD",
      how: "HOLDER_DEAD",
    });
    expect(after.holds[0]).toMatchObject({ owner: "owner-a", end: "dead" });
    expect(after.fence).toBe((held.fence as number) + 1);
  });

  test("the newest in line ends the older ones of its kind alone", () => {
    const line = [waiting("b", true), waiting("c"), waiting("d", true)].reduce(
      (document, waiter) => ok(join(document, { waiter, slots: 1, drop: [] }, moment(waiter.id))),
      held,
    );
    expect(line.line.map(({ id }) => id)).toEqual(["c", "d"]);
    expect(line.superseded).toEqual([{ id: "b", by: "owner-d", url: null }]);
  });

  test("a later claim of the same run shares the fence, also while it is frozen", () => {
    const run = "github.com/o/r/1/1";
    const claimant = claimantOf("a", { run });
    const first = ok(take(emptyDocument(KEY), { claimant, ...plain }, moment("1")));
    const frozen = freeze(first, { by: "x", reason: "y", duration: null }, moment("2"));
    const shared = ok(share(frozen, { claimant: claimantOf("b", { run }) }, moment("3")));
    expect(shared.holders).toHaveLength(1);
    expect(shared.holders[0]).toMatchObject({ fence: first.fence, sharers: ["digest-b"] });
    expect(share(frozen, { claimant: claimantOf("b", { run: "other" }) }, moment("3"))).toEqual({
      refused: "absent",
    });
  });

  test("a frozen key is given to nobody until its time is over", () => {
    const request = { by: "x", reason: "y", duration: 1_000 };
    const frozen = freeze(emptyDocument(KEY), request, moment("1"));
    const ask = { claimant: claimantOf("b"), ...plain };
    expect(take(frozen, ask, moment("2"))).toEqual({ refused: "frozen" });
    // By a clock that nobody else has, it is not over.
    const wrong = { now: NOW + 1_000, shared: false, nonce: "2" };
    expect(take(frozen, ask, wrong)).toEqual({ refused: "frozen" });
    const taken = ok(take(frozen, ask, { now: NOW + 1_000, shared: true, nonce: "2" }));
    expect(taken.holders).toHaveLength(1);
    // The next one's clock may lag: it finds no freeze that it could take for one in force.
    expect(taken).toMatchObject({ freeze: null });
    expect(taken.freezeEnds).toBeUndefined();
  });

  test("the line is cut at a stated length", () => {
    let document = held;
    for (let index = 0; index < LINE_LIMIT; index++) {
      const waiter = waiting(`w${index}`);
      document = ok(join(document, { waiter, slots: 1, drop: [] }, moment(`w${index}`)));
    }
    expect(join(document, { waiter: waiting("z"), slots: 1, drop: [] }, moment("z"))).toEqual({
      refused: "full",
    });
  });

  test("claims that disagree about the slots are refused while anybody holds or waits", () => {
    const ask = { claimant: claimantOf("b"), ...plain, slots: 3 };
    expect(take(held, ask, moment("2"))).toEqual({ refused: "slots", present: 1 });
    const free = ok(release(held, { id: "a" }, () => null, moment("2")));
    expect(ok(take(free, ask, moment("3"))).slots).toBe(3);
  });
});
