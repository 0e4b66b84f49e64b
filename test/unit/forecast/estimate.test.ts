import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { estimateTurn, type Question } from "../../../src/forecast/estimate.ts";
import { hold, holding, NOW } from "./holds.ts";

function ask(more: Partial<Question>) {
  const holds = [5, 6, 7, 6, 5, 8].map((minutes) => hold(minutes));
  return estimateTurn({ holds, holders: [holding(2)], position: 1, slots: 1, now: NOW, ...more });
}

const minutes = fc.oneof(
  fc.double({ min: 0, max: 600, noNaN: true }),
  fc.constantFrom(0, 0.001, 1, 1e6),
);
const kind = fc.constantFrom(
  {},
  { workflow: "deploy", job: "web" },
  { workflow: "deploy", job: "db" },
);
const question = fc.record({
  holds: fc.array(
    fc.tuple(minutes, kind).map(([time, metadata]) => hold(time, { metadata })),
    { minLength: 3, maxLength: 50 },
  ),
  holders: fc.array(
    fc.tuple(fc.option(minutes), kind, fc.boolean()).map(([elapsed, metadata, dead]) => ({
      ...holding(elapsed, metadata),
      reclaimable: dead ? ("HOLDER_DEAD" as const) : null,
    })),
    { minLength: 1, maxLength: 4 },
  ),
  ahead: fc.array(
    kind.map((metadata) => ({ metadata })),
    { maxLength: 6 },
  ),
  position: fc.integer({ min: 1, max: 60 }),
  now: fc.constant(NOW),
});

describe("whatever the history", () => {
  test("the range is never negative, and its ends are in order", () => {
    fc.assert(
      fc.property(question, fc.integer({ min: 1, max: 4 }), (asked, slots) => {
        const estimate = estimateTurn({ ...asked, slots });
        if (estimate === null) {
          // Only a claim that meets a free slot needs no estimate.
          expect(asked.position === 1 && asked.holders.length < slots).toBe(true);
          return;
        }
        expect(estimate.lower).toBeGreaterThanOrEqual(0);
        expect(estimate.upper).toBeGreaterThanOrEqual(estimate.lower);
        expect(Number.isSafeInteger(estimate.upper)).toBe(true);
      }),
    );
  });

  test("a place further back comes no sooner", () => {
    fc.assert(
      fc.property(question, (asked) => {
        const slots = asked.holders.length;
        const here = estimateTurn({ ...asked, slots });
        const behind = estimateTurn({ ...asked, slots, position: asked.position + 1 });
        expect(behind?.lower).toBeGreaterThanOrEqual(here?.lower as number);
        expect(behind?.upper).toBeGreaterThanOrEqual(here?.upper as number);
      }),
    );
  });

  test("the same question gets the same answer", () => {
    fc.assert(
      fc.property(question, (asked) => {
        expect(estimateTurn({ ...asked, slots: 2 })).toEqual(estimateTurn({ ...asked, slots: 2 }));
      }),
      { numRuns: 20 },
    );
  });
});

describe("nothing is said", () => {
  test("with fewer than three holds", () => {
    expect(ask({ holds: [] })).toBeNull();
    expect(ask({ holds: [hold(5), hold(6)] })).toBeNull();
    expect(ask({ holds: [hold(5), hold(6), hold(7)] })).not.toBeNull();
  });

  test("with holds that were broken, or whose holder died: they lasted until somebody noticed", () => {
    const ends = ["dead", "expired", "broken"] as const;
    expect(ask({ holds: [hold(5), hold(6), ...ends.map((end) => hold(900, { end }))] })).toBeNull();
    const kept = [5, 6, 7].map((time) => hold(time));
    const estimate = ask({ holds: [...kept, ...ends.map((end) => hold(900, { end }))] });
    expect(estimate).toEqual(ask({ holds: kept }));
  });

  test("to a claim that would get a slot at once", () => {
    expect(ask({ holders: [] })).toBeNull();
    expect(ask({ holders: [holding(1)], slots: 2 })).toBeNull();
  });
});

describe("the range", () => {
  test("is the rest of the hold under way, and a hold more for each who is ahead", () => {
    const first = ask({ position: 1 });
    expect(first).toMatchObject({ usual: 360, holds: 6, basis: "key", overdue: false });
    // Two of some six minutes are over.
    expect(first?.lower).toBeGreaterThan(60);
    expect(first?.upper).toBeLessThan(12 * 60);
    const third = ask({ position: 3 });
    expect(third?.lower).toBeGreaterThan((first?.lower as number) + 6 * 60);
    expect(third?.upper).toBeGreaterThan((first?.upper as number) + 8 * 60);
  });

  test("shrinks with the slots", () => {
    const one = ask({ position: 4 });
    const three = ask({ position: 4, slots: 3, holders: [holding(2), holding(2), holding(2)] });
    expect(three?.upper).toBeLessThan((one?.lower as number) + 1);
  });

  test("of a long line is about a hold for each", () => {
    const long = ask({ position: 201 });
    expect(long?.lower).toBeLessThan(200 * 6.2 * 60);
    expect(long?.upper).toBeGreaterThan(200 * 6.2 * 60);
    expect(long?.upper).toBeLessThan(200 * 9 * 60);
  });

  test("does not count a dead holder, whose lock the next one takes at once", () => {
    const dead = { ...holding(2), reclaimable: "HOLDER_DEAD" as const };
    expect(ask({ holders: [dead] })).toMatchObject({ lower: 0, upper: 0 });
  });

  test("of a holder that nobody knows the beginning of may be any part of a hold", () => {
    const estimate = ask({ holders: [holding(null)] });
    expect(estimate?.lower).toBeLessThan(60);
    expect(estimate?.upper).toBeGreaterThan(5 * 60);
  });
});

describe("a holder over its usual time", () => {
  test("is said to be, and its end moves away the longer it takes", () => {
    const uppers = [2, 9, 12, 20, 60].map((elapsed) => ask({ holders: [holding(elapsed)] }));
    expect(uppers.map((estimate) => estimate?.overdue)).toEqual([false, true, true, true, true]);
    const late = uppers.slice(1).map((estimate) => estimate?.upper as number);
    expect(late).toEqual(late.toSorted((one, other) => one - other));
    expect(new Set(late).size).toBe(late.length);
    // It may be over any moment: that is true as well.
    for (const estimate of uppers.slice(1)) expect(estimate?.lower).toBeLessThan(600);
  });
});

describe("whose holds count", () => {
  const web = { workflow: "deploy", job: "web" };
  const db = { workflow: "deploy", job: "db" };
  const holds = [
    ...[2, 2, 2.1, 1.9].map((time) => hold(time, { metadata: web })),
    ...[30, 31, 29].map((time) => hold(time, { metadata: db })),
    ...[5, 5].map((time) => hold(time, { metadata: { workflow: "migrate", job: "once" } })),
  ];

  test("those of the holder's own workflow and job, where there are three", () => {
    const short = ask({ holds, holders: [holding(1, web)] });
    expect(short).toMatchObject({ basis: "job", holds: 4, usual: 120 });
    expect(short?.upper).toBeLessThan(240);
    const long = ask({ holds, holders: [holding(1, db)] });
    expect(long).toMatchObject({ basis: "job", holds: 3, usual: 1_800 });
    expect(long?.lower).toBeGreaterThan(1_200);
  });

  test("else all of the key", () => {
    const rare = { workflow: "migrate", job: "once" };
    expect(ask({ holds, holders: [holding(1, rare)] })).toMatchObject({ basis: "key", holds: 9 });
    expect(ask({ holds, holders: [holding(1)] })).toMatchObject({ basis: "key", holds: 9 });
  });

  test("those who are ahead count with theirs", () => {
    const line = { holds, holders: [holding(1, web)], position: 2 };
    const behindWeb = ask({ ...line, ahead: [{ metadata: web }] });
    const behindDb = ask({ ...line, ahead: [{ metadata: db }] });
    expect(behindWeb?.upper).toBeLessThan(600);
    expect(behindDb?.lower).toBeGreaterThan(1_200);
    expect(behindDb).toMatchObject({ basis: "job", holds: 7 });
  });
});

test("an estimate costs less than a millisecond", () => {
  const holds = Array.from({ length: 50 }, (_, index) => hold(5 + (index % 7)));
  const holders = [holding(1), holding(2), holding(3)];
  const costs: number[] = [];
  for (let round = 0; round < 40; round++) {
    const start = performance.now();
    for (let time = 0; time < 10; time++) ask({ holds, holders, slots: 3, position: 5 });
    costs.push((performance.now() - start) / 10);
  }
  // The best round: the others also measure what else the machine does.
  expect(Math.min(...costs)).toBeLessThan(1);
});
