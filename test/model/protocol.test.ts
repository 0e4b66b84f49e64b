import { describe, expect, test } from "vitest";
import { run, violation } from "./scenario.ts";

describe("the lock-file protocol, in every interleaving of three processes", () => {
  test("nobody crashes: one holder at a time, in order, and nothing is left", () => {
    const explored = run([{ beats: true }, { beats: true }, { beats: true }], {});
    expect(explored.ends).toBeGreaterThan(0);
    expect(explored.grants).toBeGreaterThan(0);
  });

  test("each may crash around every step and cancel wherever it waits", () => {
    const each = { cancels: true, beats: true };
    const explored = run([each, each, each], { crashes: 3 });
    expect(explored.states).toBeGreaterThan(10_000);
    expect(explored.ends).toBeGreaterThan(1_000);
  });

  test("two slots: never three holders, with crashes and cancellations", () => {
    const explored = run([{ cancels: true }, { cancels: true }, { cancels: true }], {
      crashes: 3,
      slots: 2,
    });
    expect(explored.states).toBeGreaterThan(10_000);
  });

  test("one does not want to wait: it gets the lock or leaves no trace", () => {
    const explored = run([{ cancels: true }, { mayWait: false }, {}], { crashes: 3 });
    expect(explored.states).toBeGreaterThan(1_000);
  });
});

describe("a process that is stopped while it waits", () => {
  test("holds up nobody for ever, wherever it is stopped and whenever it goes on", () => {
    const explored = run([{ pauses: true }, { pauses: true }, {}], {});
    expect(explored.states).toBeGreaterThan(10_000);
    expect(explored.ends).toBeGreaterThan(10);
  });

  test("likewise where each may crash, and the stopped one cancel", () => {
    const explored = run([{ pauses: true, cancels: true }, {}, {}], { crashes: 1 });
    expect(explored.states).toBeGreaterThan(10_000);
    expect(explored.ends).toBeGreaterThan(100);
  });
});

describe("claimed by one process, adopted by another", () => {
  test("a stage and its keeper against somebody else, each may crash, and the stage cancel", () => {
    const explored = run([{ keeper: true, cancels: true, beats: true }, { cancels: true }], {
      crashes: 3,
    });
    expect(explored.states).toBeGreaterThan(1_000);
    expect(explored.ends).toBeGreaterThan(100);
  });

  test("two stages with their keepers: one holder at a time, in order, nothing is left", () => {
    const each = { keeper: true, cancels: true };
    const explored = run([each, each], { crashes: 4 });
    expect(explored.states).toBeGreaterThan(10_000);
    expect(explored.grants).toBeGreaterThan(0);
  });
});

describe("the model finds what is wrong", () => {
  test("without the guard, order and fences break", () => {
    const found = violation([{}, {}, {}], { guarded: false, crashes: 1 });
    expect(found.message).toMatch(/fence went|served before|failed|stuck/);
  });

  test("without the guard and with a rename for the link, two hold at once", () => {
    const found = violation([{}, {}], { guarded: false, linkReplaces: true, onlyOverlaps: true });
    expect(found.message).toMatch(/2 holders at once/);
  });

  test("with a guard that two pass, the schedule says which steps led there", () => {
    const found = violation([{}, {}, {}], { guarded: false, crashes: 1 });
    expect(found.schedule.length).toBeGreaterThan(5);
    expect(found.schedule.join("\n")).toMatch(/process 1 enter/);
  });
});
