import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  admit,
  type InLine,
  nextServed,
  PASSES_LIMIT,
  PLAIN,
  passedBy,
  servingOrder,
} from "../../../src/lock/admission.ts";

const claim = (more: Partial<InLine> = {}): InLine => ({ ...PLAIN, ...more });

test("ten later claims are served before a waiting one, as people are told", () => {
  expect(PASSES_LIMIT).toBe(10);
});

describe("who enters next", () => {
  test("is the first that came, as long as slots are free", () => {
    expect(admit(2, [claim(), claim(), claim()])).toEqual([0, 1]);
    expect(admit(0, [claim()])).toEqual([]);
    expect(admit(3, [])).toEqual([]);
  });

  test("is nobody behind a heavy claim that does not fit yet", () => {
    expect(admit(1, [claim({ weight: 2 }), claim()])).toEqual([]);
    expect(admit(3, [claim({ weight: 2 }), claim(), claim()])).toEqual([0, 1]);
  });

  test("is the highest priority, and of that the first that came", () => {
    expect(admit(2, [claim(), claim({ priority: 5 }), claim({ priority: 5 })])).toEqual([1, 2]);
    expect(admit(1, [claim({ priority: -1 }), claim()])).toEqual([1]);
  });

  test("is not one that is not ready, and that one keeps its place", () => {
    expect(admit(1, [claim({ ready: false }), claim()])).toEqual([1]);
    expect(admit(1, [claim({ ready: true }), claim()])).toEqual([0]);
    expect(passedBy([claim({ ready: false }), claim(), claim()], 2)).toEqual([1]);
  });

  test("is a low one that was passed as often as may be, and nobody goes past it where it is heavy", () => {
    const low = claim({ priority: -100, weight: 2, passed: PASSES_LIMIT });
    expect(admit(1, [low, claim({ priority: 100 })])).toEqual([]);
    expect(admit(2, [low, claim({ priority: 100 })])).toEqual([0]);
  });

  test("is, where one may not be passed any more, the first of its priority", () => {
    // The first came to be ready late: it is still the earlier one of its priority.
    const line = [claim(), claim({ passed: PASSES_LIMIT }), claim({ priority: 9 })];
    expect(servingOrder(line)).toEqual([0, 1, 2]);
  });

  test("tells the order for people, with those that are not ready where they stand", () => {
    const line = [claim({ ready: false, weight: 9 }), claim(), claim({ priority: 1 })];
    expect(servingOrder(line)).toEqual([2, 0, 1]);
  });
});

/** A claim of a random morning: what it is, how long it holds, and for how long it is not ready. */
interface Job extends Pick<InLine, "weight" | "priority"> {
  readonly arrives: number;
  readonly holds: number;
  readonly readyAfter: number;
}

interface Waiting extends Job {
  readonly id: number;
  readonly passed: number;
  readonly ready: boolean;
}

interface Served {
  readonly job: Waiting;
  readonly at: number;
  /** The claims that waited and were ready at that moment. */
  readonly beside: readonly Waiting[];
}

const SLOTS = 4;

/** Serves jobs by the rule, in steps of time, until all have been served or it takes too long. */
function serve(jobs: readonly Job[]): { readonly served: Served[]; readonly most: number } {
  let line: Waiting[] = [];
  let holding: { readonly weight: number; readonly until: number }[] = [];
  const served: Served[] = [];
  let most = 0;
  for (let at = 0; at < 5_000 && served.length < jobs.length; at++) {
    holding = holding.filter(({ until }) => until > at);
    for (const [id, job] of jobs.entries())
      if (job.arrives === at) line.push({ ...job, id, passed: 0, ready: false });
    line = line.map((each) => ({ ...each, ready: at >= each.arrives + each.readyAfter }));
    const free = SLOTS - holding.reduce((sum, { weight }) => sum + weight, 0);
    const entering = admit(free, line).map((place) => (line[place] as Waiting).id);
    for (const id of entering) {
      const place = line.findIndex((each) => each.id === id);
      const job = line[place] as Waiting;
      served.push({ job, at, beside: line.filter((each) => each.ready && each.id !== id) });
      const passed = new Set(passedBy(line, place));
      line = line
        .map((each, index) => (passed.has(index) ? { ...each, passed: each.passed + 1 } : each))
        .filter((each) => each.id !== id);
      holding.push({ weight: job.weight, until: at + job.holds });
    }
    most = Math.max(
      most,
      holding.reduce((sum, { weight }) => sum + weight, 0),
    );
  }
  return { served, most };
}

const job = fc.record({
  weight: fc.integer({ min: 1, max: SLOTS }),
  priority: fc.integer({ min: -2, max: 2 }),
  arrives: fc.integer({ min: 0, max: 40 }),
  holds: fc.integer({ min: 1, max: 6 }),
  readyAfter: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 30 })),
});
const jobs = fc
  .array(job, { minLength: 30, maxLength: 60 })
  .map((all) => all.toSorted((one, other) => one.arrives - other.arrives));

describe("a random line", () => {
  test("is never over its slots, and everybody is served", () => {
    fc.assert(
      fc.property(jobs, (all) => {
        const { served, most } = serve(all);
        expect(most).toBeLessThanOrEqual(SLOTS);
        expect(served.length).toBe(all.length);
      }),
    );
  });

  test("serves no claim past an earlier one of its priority that is ready", () => {
    fc.assert(
      fc.property(jobs, (all) => {
        for (const { job: it, beside } of serve(all).served)
          expect(
            beside.filter(({ id, priority }) => id < it.id && priority === it.priority),
          ).toEqual([]);
      }),
    );
  });

  test("serves at most ten later claims before one that is ready: neither light, heavy nor high ones", () => {
    fc.assert(
      fc.property(jobs, (all) => {
        const { served } = serve(all);
        for (const waiting of all.keys()) {
          const passes = served.filter(
            ({ job: it, beside }) => it.id > waiting && beside.some(({ id }) => id === waiting),
          );
          expect(passes.length).toBeLessThanOrEqual(PASSES_LIMIT);
        }
      }),
    );
  });

  test("serves a higher priority first, unless a lower one may not be passed any more", () => {
    fc.assert(
      fc.property(jobs, (all) => {
        for (const { job: it, beside } of serve(all).served) {
          const higher = beside.some(({ priority }) => priority > it.priority);
          const isDue = [it, ...beside].some(({ passed }) => passed >= PASSES_LIMIT);
          expect(higher && !isDue).toBe(false);
        }
      }),
    );
  });

  test("is told as it is served, one by one, and a long one in no time", () => {
    const any = fc.record({
      weight: fc.integer({ min: 1, max: 3 }),
      priority: fc.integer({ min: -2, max: 2 }),
      passed: fc.integer({ min: 0, max: PASSES_LIMIT }),
      ready: fc.boolean(),
    });
    fc.assert(
      fc.property(
        fc.array(any, { maxLength: 60 }),
        fc.integer({ min: 0, max: 90 }),
        (all, free) => {
          let left = all.map((each, id) => ({ ...each, id }));
          const expected: number[] = [];
          for (let room = free; room > 0; ) {
            const next = nextServed(left);
            if (next === null || next.weight > room) break;
            room -= next.weight;
            expected.push(next.id);
            const passed = new Set(passedBy(left, left.indexOf(next)));
            left = left
              .map((each, place) =>
                passed.has(place) ? { ...each, passed: each.passed + 1 } : each,
              )
              .filter(({ id }) => id !== next.id);
          }
          expect(admit(free, all)).toEqual(expected);
        },
      ),
    );
    const many = Array.from({ length: 20_000 }, (_, each) => claim({ priority: each % 7 }));
    const start = performance.now();
    expect(servingOrder(many)).toHaveLength(many.length);
    // Some 20 ms; with a look at the whole line for each it would be minutes.
    expect(performance.now() - start).toBeLessThan(10_000);
  });

  test("has one next, and it is among those that are ready", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: -2, max: 2 }), fc.boolean())), (all) => {
        const line = all.map(([priority, ready]) => claim({ priority, ready }));
        const next = nextServed(line);
        expect(next === null).toBe(line.every(({ ready }) => !ready));
        expect(next?.ready ?? true).toBe(true);
      }),
    );
  });
});
