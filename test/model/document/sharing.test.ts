import { describe, expect, test } from "vitest";
import { PASSES_LIMIT } from "../../../src/lock/admission.ts";
import { GRACE, TTL } from "./lives.ts";
import { run, violation } from "./scenario.ts";

const HEAVY = { weight: 2 };
const URGENT = { priority: 1 };
const JOINS = { joins: true };
const TWO = { slots: 2 } as const;

describe("claims of several weights", () => {
  test("share two slots in order of arrival: neither the heavy nor the light starve", () => {
    expect(run([HEAVY, {}, {}], TWO).grants).toBeGreaterThan(0);
    expect(run([HEAVY, {}, HEAVY], TWO).ends).toBeGreaterThan(0);
  });

  test("likewise where one crashes around any step", () => {
    expect(run([HEAVY, {}, {}], { ...TWO, crashes: 1 }).states).toBeGreaterThan(5_000);
  });

  test("likewise where an answer gets lost, and one is cancelled", () => {
    expect(
      run([{ ...HEAVY, cancels: true }, {}], { ...TWO, lost: 1, lags: 1 }).ends,
    ).toBeGreaterThan(0);
  });

  test("likewise where nothing is known, one crashes, and time passes", () => {
    const options = { ...TWO, known: "unknown", crashes: 1, jumps: 3, jump: TTL + 1 } as const;
    expect(run([HEAVY, {}, {}], options).states).toBeGreaterThan(5_000);
  });

  test("of those that are dead in a free line, the heavy are waited for no longer than others", () => {
    const options = { ...TWO, known: "unknown", jumps: 14, grantedWithin: GRACE } as const;
    expect(run([HEAVY, {}], { ...options, deadInLine: 2 }).grants).toBeGreaterThan(0);
  });
});

describe("claims of two priorities", () => {
  test("the higher one is served first, and takes nothing from a holder", () => {
    expect(run([{}, URGENT, {}], {}).grants).toBeGreaterThan(0);
    expect(run([{}, URGENT, { ...URGENT, ...HEAVY }], TWO).ends).toBeGreaterThan(0);
  });

  test("likewise where one of them crashes around any step, and they have several weights", () => {
    const lives = [{}, URGENT, { ...URGENT, ...HEAVY }];
    expect(run(lives, { ...TWO, crashes: 1 }).states).toBeGreaterThan(5_000);
    expect(run([HEAVY, HEAVY, URGENT], { ...TWO, crashes: 1 }).states).toBeGreaterThan(5_000);
  });

  test("likewise where nobody is promoted, or an answer gets lost", () => {
    expect(run([{}, URGENT, HEAVY], { ...TWO, known: "unknown" }).ends).toBeGreaterThan(0);
    expect(run([{ cancels: true }, URGENT], { lost: 1, lags: 1 }).ends).toBeGreaterThan(0);
  });

  test("a claim that was passed as often as it may be is served before them", () => {
    for (const times of [PASSES_LIMIT - 1, PASSES_LIMIT]) {
      const passed = new Map([[1, times]]);
      expect(run([{}, URGENT, URGENT], { passed }).grants).toBeGreaterThan(0);
      expect(run([HEAVY, URGENT, URGENT], { ...TWO, passed }).grants).toBeGreaterThan(0);
    }
  });
});

describe("claims that stand in line before they are ready", () => {
  test("are passed, keep their places, and are served once they are ready", () => {
    expect(run([JOINS, {}, {}], {}).grants).toBeGreaterThan(0);
    expect(run([JOINS, URGENT, HEAVY], TWO).grants).toBeGreaterThan(0);
  });

  test("likewise where nobody is promoted, and one leaves, or takes it at once or not at all", () => {
    const options = { known: "unknown" } as const;
    expect(run([{ ...JOINS, cancels: true }, {}], options).ends).toBeGreaterThan(0);
    expect(run([{ ...JOINS, mayWait: false }, {}, {}], options).ends).toBeGreaterThan(0);
  });

  test("likewise where answers get lost, and reads lag", () => {
    expect(run([JOINS, {}], { lost: 1, lags: 1 }).ends).toBeGreaterThan(0);
    expect(run([JOINS, URGENT], { ...TWO, lost: 1 }).ends).toBeGreaterThan(0);
  });

  test("one that crashes before it is ready is in nobody's way, whatever can be known of it", () => {
    for (const known of ["session", "job", "unknown"] as const) {
      const options = { known, crashes: 1, onlyUnready: true, grantedWithin: 0 };
      expect(run([{ ...JOINS, ...URGENT }, {}, {}], options).states).toBeGreaterThan(500);
    }
  });

  test("one that crashes once it is ready is waited for as any other", () => {
    const options = { known: "unknown", crashes: 1, jumps: 4, jump: TTL + 1 } as const;
    expect(run([JOINS, {}], options).states).toBeGreaterThan(500);
  });
});

describe("the model finds", () => {
  test("weights that are not counted: too many hold at once", () => {
    expect(violation([HEAVY, {}], { ...TWO, hide: "weight" })).toMatch(/holders/);
  });

  test("priorities that are not asked", () => {
    expect(violation([{}, {}, URGENT], { hide: "priority" })).toMatch(/has a higher priority/);
  });

  test("passes that are not counted", () => {
    const passed = new Map([[1, PASSES_LIMIT]]);
    const found = violation([{}, URGENT, URGENT], { hide: "passed", passed });
    expect(found).toMatch(/was passed often enough|did not count it/);
  });

  test("claims that are served before they are ready", () => {
    expect(violation([{}, JOINS], { hide: "ready" })).toMatch(/was not ready/);
  });
});
