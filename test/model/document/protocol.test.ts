import { describe, expect, test } from "vitest";
import { TTL } from "./lives.ts";
import { run, violation } from "./scenario.ts";

const PLAIN = {};
const CANCELS = { cancels: true };

describe("the document protocol, in every interleaving of three processes", () => {
  test("nothing goes wrong: one holder at a time, in order, and nothing is left", () => {
    const explored = run([{ renews: true }, PLAIN, PLAIN], {});
    expect(explored.grants).toBeGreaterThan(0);
    expect(explored.ends).toBeGreaterThan(0);
  });

  test("one crashes around any step, and its session lives on for a while", () => {
    const explored = run([PLAIN, PLAIN, PLAIN], { crashes: 1 });
    expect(explored.states).toBeGreaterThan(10_000);
  });

  test("an answer gets lost: the swap stands, or not, or arrives late", () => {
    const explored = run([PLAIN, PLAIN, PLAIN], { lost: 1 });
    expect(explored.states).toBeGreaterThan(50_000);
  });

  test("reads lag behind", () => {
    const explored = run([PLAIN, PLAIN, PLAIN], { lags: 1 });
    expect(explored.states).toBeGreaterThan(10_000);
  });

  test("two slots: never three holders, with a crash", () => {
    const explored = run([PLAIN, PLAIN, PLAIN], { slots: 2, crashes: 1 });
    expect(explored.states).toBeGreaterThan(5_000);
  });

  test("one does not want to wait: it gets the lock or leaves no trace", () => {
    const explored = run([PLAIN, { mayWait: false }, PLAIN], { lags: 1 });
    expect(explored.states).toBeGreaterThan(5_000);
  });
});

describe("two processes, and everything goes wrong at once", () => {
  test("crashes, lost answers, reads that lag, cancellations", () => {
    const explored = run([CANCELS, PLAIN], { crashes: 1, lost: 1, lags: 1 });
    expect(explored.states).toBeGreaterThan(20_000);
  });

  test("two answers get lost", () => {
    const explored = run([CANCELS, PLAIN], { lost: 2 });
    expect(explored.states).toBeGreaterThan(5_000);
  });
});

describe("a register without signs of life: nobody is promoted, the next one comes by itself", () => {
  test("the forge says who is dead: a crash delays nobody", () => {
    const explored = run([PLAIN, PLAIN, PLAIN], { known: "job", crashes: 1 });
    expect(explored.states).toBeGreaterThan(10_000);
  });

  test("the holder and the first in line crash: the last one gets the lock all the same", () => {
    const explored = run([PLAIN, PLAIN, PLAIN], { known: "job", crashes: 2 });
    expect(explored.states).toBeGreaterThan(10_000);
  });

  test("the same where nothing is known", () => {
    const options = { known: "unknown", crashes: 2, jumps: 4, jump: TTL + 1 } as const;
    const explored = run([PLAIN, PLAIN, PLAIN], options);
    expect(explored.states).toBeGreaterThan(5_000);
  });

  test("the holder and the next in line are both dead: whoever comes gets the lock", () => {
    expect(run([PLAIN, PLAIN], { known: "job", crashes: 2 }).ends).toBeGreaterThan(10);
    const options = { known: "unknown", crashes: 2, jumps: 3, jump: TTL + 1 } as const;
    expect(run([PLAIN, PLAIN], options).ends).toBeGreaterThan(10);
  });

  test("nothing is known: a place in line that nobody takes is passed over after the grace", () => {
    // And a holder that crashes is in the way for its whole ttl.
    const options = { known: "unknown", crashes: 1, jumps: 3, jump: TTL + 1 } as const;
    const explored = run([PLAIN, PLAIN, PLAIN], options);
    expect(explored.states).toBeGreaterThan(5_000);
  });

  test("nothing is known and no time passes: nobody is robbed, and cancellations free the line", () => {
    const explored = run([CANCELS, CANCELS, PLAIN], { known: "unknown" });
    expect(explored.states).toBeGreaterThan(5_000);
  });

  test("a process is slower than the grace: never two holders, and nobody that holds is robbed", () => {
    const explored = run([PLAIN, PLAIN, PLAIN], { known: "unknown", jumps: 1, timely: false });
    expect(explored.states).toBeGreaterThan(10_000);
  });

  test("an answer gets lost and reads lag", () => {
    const explored = run([CANCELS, PLAIN], { known: "unknown", lost: 1, lags: 1 });
    expect(explored.states).toBeGreaterThan(3_000);
  });
});

describe("the model finds what is wrong", () => {
  test("without a nonce, a swap that did not stand is taken for one that did", () => {
    const found = violation([PLAIN, PLAIN], { noNonce: true, lost: 1, atEnd: () => {} });
    expect(found).toMatch(/holders at once|stuck/);
  });

  test("with a blind retry after a lost answer, two hold at once", () => {
    const found = violation([PLAIN, PLAIN], { blindRetry: true, lost: 1 });
    expect(found).toMatch(/holders at once|fence/);
  });

  test("with a dead waiter promoted, the others wait for ever", () => {
    const options = { known: "unknown", hangsOn: "session", crashes: 1, atEnd: () => {} } as const;
    const found = violation([PLAIN, PLAIN, PLAIN], { ...options, jumps: 3, promoteTheDead: true });
    expect(found).toMatch(/stuck/);
  });

  test("without a comparison of versions, two hold at once", () => {
    const found = violation([PLAIN, PLAIN], { noCompare: true });
    expect(found).toMatch(/holders at once|failed|fence/);
  });

  test("with the unknown counted as dead, somebody who lives is robbed", () => {
    const found = violation([PLAIN, PLAIN], { known: "unknown", robOnUnknown: true });
    expect(found).toMatch(/holders at once|robbed|already-gone/);
  });
});
