import { describe, expect, test } from "vitest";
import { GRACE, TTL } from "./lives.ts";
import { run, violation } from "./scenario.ts";

/** The key is free, and all who stand in its line are dead: nothing but their silence tells. */
const SILENT = { known: "unknown", jumps: 12, grantedWithin: GRACE } as const;

describe("a free key behind the dead", () => {
  test("is taken after one patience, however many stand in its line", () => {
    for (const deadInLine of [1, 2, 5, 40]) {
      const explored = run([{}, {}], { ...SILENT, deadInLine });
      expect(explored.grants).toBeGreaterThan(0);
    }
  });

  test("three living ones behind them are served in order, and none of them is dropped", () => {
    const explored = run([{}, {}, {}], { ...SILENT, deadInLine: 3 });
    expect(explored.states).toBeGreaterThan(10_000);
  });

  test("also where one of these dies: one patience after its last sign of life", () => {
    const options = { ...SILENT, jumps: 60, jump: TTL, grantedWithin: Number.POSITIVE_INFINITY };
    const explored = run([{}, {}], { ...options, deadInLine: 2, crashes: 1 });
    expect(explored.states).toBeGreaterThan(100);
  });

  test("also where answers get lost, reads lag, and claims are cancelled", () => {
    const each = { cancels: true };
    for (const trouble of [{ lost: 1 }, { lags: 1 }])
      expect(run([each, {}], { ...SILENT, deadInLine: 2, ...trouble }).ends).toBeGreaterThan(0);
  });

  test("with two slots both are taken", () => {
    const explored = run([{}, {}], { ...SILENT, deadInLine: 3, slots: 2 });
    expect(explored.grants).toBeGreaterThan(0);
  });

  test("a full line: who stands outside of it takes the key as those in line would", () => {
    for (const lineLimit of [1, 2, 3]) {
      const explored = run([{}, {}], { ...SILENT, deadInLine: lineLimit, lineLimit });
      expect(explored.grants).toBeGreaterThan(0);
    }
  });

  test("a full line of which one lives: nobody outside of it passes that one", () => {
    const explored = run([{}, {}, {}], { ...SILENT, deadInLine: 1, lineLimit: 2, jumps: 16 });
    expect(explored.states).toBeGreaterThan(500);
  });

  test("a full line: claims that only want a place get one there, and are served once they are ready", () => {
    const joins = { joins: true };
    const full = { ...SILENT, deadInLine: 2, lineLimit: 2, jumps: 8 };
    const options = { ...full, grantedWithin: Number.POSITIVE_INFINITY };
    expect(run([joins, joins], options).grants).toBeGreaterThan(0);
    expect(run([joins, {}], options).grants).toBeGreaterThan(0);
    const crashing = { ...options, slots: 2, crashes: 1, jump: TTL };
    expect(run([joins, {}], crashing).states).toBeGreaterThan(200);
  });

  test("where it can be known that they are dead, nobody waits at all", () => {
    for (const known of ["session", "job"] as const)
      run([{}, {}], { known, deadInLine: 3, lineLimit: 3, grantedWithin: 0 });
  });
});

test("a process slower than the patience loses its place, and there are never two holders", () => {
  const options = { known: "unknown", deadInLine: 2, jumps: 2, timely: false } as const;
  expect(run([{}, {}], options).states).toBeGreaterThan(100);
});

test("the model finds a living claim that is dropped for the death of its neighbours", () => {
  const found = violation([{}, {}, {}], { ...SILENT, deadInLine: 1, hideSigns: true });
  expect(found).toMatch(/was served before/);
});
