import { describe, expect, test } from "vitest";
import { estimateTurn } from "../../../src/forecast/estimate.ts";
import { seededRandom } from "../../../src/forecast/seeded.ts";
import { forecastStatus } from "../../../src/forecast/status.ts";
import { admit, PLAIN, passedBy, servingOrder } from "../../../src/lock/admission.ts";
import { PLAIN_KEY, PLAIN_WAITER } from "../../../src/lock/status.ts";
import { hold, holder, holding, NOW } from "./holds.ts";
import { KINDS } from "./queues.ts";

const JOBS = 90;
const LOOK_AFTER = 60;
const SLOTS = 4;

interface Job {
  readonly weight: number;
  readonly priority: number;
  readonly lasts: number;
  readonly passed: number;
  readonly start: number;
}

/** Plays a line of mixed claims by the rule, to its end; `look` is called when so many have started. */
function play(kind: string, seed: number, look: (at: number, line: Job[], started: Job[]) => void) {
  const random = seededRandom(seed);
  const lasts = KINDS[kind]?.(random);
  if (lasts === undefined) throw new Error(`there is no kind ${kind}`);
  let line: Job[] = Array.from({ length: JOBS }, (_, index) => ({
    weight: 1 + Math.floor(random() * SLOTS * random()),
    priority: Math.floor(random() * 3),
    lasts: lasts(index),
    passed: 0,
    start: -1,
  }));
  const started: Job[] = [];
  for (let at = 0; ; ) {
    const running = started.filter(({ start, lasts: time }) => start + time > at);
    const free = SLOTS - running.reduce((sum, { weight }) => sum + weight, 0);
    const [place] = admit(
      free,
      line.map((job) => ({ ...PLAIN, ...job })),
    );
    if (place !== undefined) {
      const passed = new Set(
        passedBy(
          line.map((job) => ({ ...PLAIN, ...job })),
          place,
        ),
      );
      started.push({ ...(line[place] as Job), start: at });
      line = line
        .map((job, index) => (passed.has(index) ? { ...job, passed: job.passed + 1 } : job))
        .filter((_, index) => index !== place);
      continue;
    }
    if (started.length >= LOOK_AFTER) {
      look(at, line, started);
      return;
    }
    at = Math.min(...running.map(({ start, lasts: time }) => start + time));
  }
}

/** When the claims of a line really start, from a moment on, by the rule. */
function starts(at: number, line: readonly Job[], started: readonly Job[]): number[] {
  let left = line.map((job, place) => ({ ...PLAIN, ...job, place }));
  const found: number[] = [];
  const all = started.map(({ start, lasts, weight }) => ({ until: start + lasts, weight }));
  for (let now = at; left.length > 0; ) {
    const running = all.filter(({ until }) => until > now);
    const free = SLOTS - running.reduce((sum, { weight }) => sum + weight, 0);
    const [first] = admit(free, left);
    if (first === undefined) {
      now = Math.min(...running.map(({ until }) => until));
      continue;
    }
    const job = left[first] as (typeof left)[number];
    const passed = new Set(passedBy(left, first));
    found[job.place] = now - at;
    all.push({ until: now + job.lasts, weight: job.weight });
    left = left
      .map((each, index) => (passed.has(index) ? { ...each, passed: each.passed + 1 } : each))
      .filter((_, index) => index !== first);
  }
  return found;
}

describe("an estimate beside claims of other weights and priorities", () => {
  test.each(Object.keys(KINDS))("is right in four of five lines: %s", (kind) => {
    let within = 0;
    let all = 0;
    for (let seed = 1; seed <= 60; seed++) {
      play(kind, seed * 7_919, (at, line, started) => {
        const past = started.filter(({ start, lasts }) => start + lasts <= at);
        const running = started.filter((job) => !past.includes(job));
        const times = starts(at, line, started);
        const order = servingOrder(line.map((job) => ({ ...PLAIN, ...job })));
        const ahead = order.map((place) => ({ metadata: {}, weight: line[place]?.weight ?? 1 }));
        for (const position of [1, 2, 4, 7]) {
          const place = order[position - 1] as number;
          const estimate = estimateTurn({
            holds: past
              .toSorted((one, other) => other.start + other.lasts - one.start - one.lasts)
              .slice(0, 20)
              .map(({ lasts }) => hold(lasts / 60_000)),
            holders: running.map(({ start, weight }) => ({
              ...holding((at - start) / 60_000),
              weight,
            })),
            ahead,
            weight: line[place]?.weight ?? 1,
            position,
            slots: SLOTS,
            now: NOW,
          });
          if (estimate === null) throw new Error("there is no estimate");
          const wait = (times[place] as number) / 1_000;
          all += 1;
          if (wait >= estimate.lower - 1 && wait <= estimate.upper + 1) within += 1;
        }
      });
    }
    expect(all).toBe(240);
    expect(within / all).toBeGreaterThanOrEqual(0.8);
  });

  const holds = Array.from({ length: 20 }, () => hold(10));
  const question = { holds, position: 1, slots: 4, now: NOW };

  test("is of the moment at which as many slots are free as the claim takes", () => {
    const holders = [
      { ...holding(9), weight: 1 },
      { ...holding(1), weight: 3 },
    ];
    const light = estimateTurn({ ...question, holders });
    const heavy = estimateTurn({ ...question, holders, weight: 2 });
    expect(light?.likely).toBeLessThan(3 * 60);
    expect(heavy?.likely).toBeGreaterThan(7 * 60);
    expect(estimateTurn({ ...question, holders: [holding(1)], weight: 3 })).toBeNull();
    expect(estimateTurn({ ...question, holders: [holding(1)], weight: 4 })).not.toBeNull();
  });

  test("counts nobody ahead who is not ready", () => {
    const holders = [{ ...holding(1), weight: 4 }];
    const ahead = [{ metadata: {}, weight: 4, ready: false }];
    const one = estimateTurn({ ...question, holders, ahead, position: 2 });
    expect(one).toEqual(estimateTurn({ ...question, holders, position: 1 }));
  });

  test("of a status counts the slots that are frozen alone as not there, also one that is held", () => {
    const freeze = { by: "ann", reason: "broken", since: "2026-11-16T09:00:00.000Z", until: null };
    const at = (slot: number, minutes: number) => ({
      ...holder(`h${slot}`, minutes),
      slot,
      slots: [slot],
    });
    const waiter = {
      ...PLAIN_WAITER,
      owner: "w",
      since: freeze.since,
      position: 1,
      alive: true,
      note: null,
      metadata: {},
    };
    const status = {
      ...PLAIN_KEY,
      key: "pool",
      store: "s",
      slots: 2,
      holders: [at(0, 9), at(1, 1)],
      waiting: 1,
      waiters: [waiter],
      frozen: null,
    };
    const open = forecastStatus(status, holds, NOW).waiters[0]?.estimate;
    const frozenSlots = [{ ...freeze, slot: 0 }];
    const frozen = forecastStatus({ ...status, frozenSlots }, holds, NOW).waiters[0]?.estimate;
    expect(open?.likely).toBeLessThan(3 * 60);
    expect(frozen?.likely).toBeGreaterThan(7 * 60);
    // One ahead needs more than is given out: it waits for a thaw, and so do those behind it.
    const ahead = { ...status, waiters: [{ ...waiter, weight: 2 }], frozenSlots };
    const kept = forecastStatus(ahead, holds, NOW);
    expect([kept.waiters[0]?.estimate, kept.estimate]).toEqual([null, null]);
    expect(forecastStatus({ ...ahead, frozenSlots: [] }, holds, NOW).estimate).not.toBeNull();
    const none = [0, 1].map((slot) => ({ ...freeze, slot }));
    expect(
      forecastStatus({ ...status, frozenSlots: none }, holds, NOW).waiters[0]?.estimate,
    ).toBeNull();
  });
});
