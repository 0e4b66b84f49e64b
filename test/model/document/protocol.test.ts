import { describe, expect, test } from "vitest";
import { type Exploration, Violation } from "../explorer.ts";
import { explore, type ModelOptions } from "./explorer.ts";
import { checkEnding, GRACE, type LifeOptions, life, TTL } from "./lives.ts";

interface Scenario extends Partial<ModelOptions> {
  /** What the claims' lives hang on. Default: on what can be asked. */
  readonly hangsOn?: "beacon" | "job";
}

/** Processes that run the shipped protocol, through every interleaving. */
function run(each: readonly LifeOptions[], { hangsOn, ...options }: Scenario): Exploration {
  const slots = options.slots ?? 1;
  const known = options.known ?? "beacon";
  const began = performance.now();
  const all: ModelOptions = {
    known,
    slots,
    crashes: 0,
    lost: 0,
    lags: 0,
    jumps: 0,
    jump: GRACE + 1,
    timely: true,
    atEnd: (state) => checkEnding(state, all),
    lives: each.map((one, index) => life(index + 1, hangsOn ?? known, { ...one, slots })),
    ...options,
  };
  const explored = explore(all);
  const { states, transitions, ends } = explored;
  const seconds = ((performance.now() - began) / 1_000).toFixed(1);
  console.log(
    `explored ${states} states, ${transitions} transitions, ${ends} ends in ${seconds} s`,
  );
  return explored;
}

function violation(each: readonly LifeOptions[], options: Scenario): string {
  try {
    run(each, options);
  } catch (error) {
    if (error instanceof Violation) return error.message;
    throw error;
  }
  throw new Error("the model found nothing wrong");
}

const PLAIN = {};
const CANCELS = { cancels: true };

describe("the document protocol, in every interleaving of three processes", () => {
  test("nothing goes wrong: one holder at a time, in order, and nothing is left", () => {
    const explored = run([{ renews: true }, PLAIN, PLAIN], {});
    expect(explored.grants).toBeGreaterThan(0);
    expect(explored.ends).toBeGreaterThan(0);
  });

  test("one crashes around any step, and its beacon burns on for a while", () => {
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

describe("a register without beacons: nobody is promoted, the next one comes by itself", () => {
  test("the forge says who is dead: a crash delays nobody", () => {
    const explored = run([PLAIN, PLAIN, PLAIN], { known: "job", crashes: 1 });
    expect(explored.states).toBeGreaterThan(10_000);
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
    expect(found).toMatch(/holders at once|failed/);
  });

  test("with a blind retry after a lost answer, two hold at once", () => {
    const found = violation([PLAIN, PLAIN], { blindRetry: true, lost: 1 });
    expect(found).toMatch(/holders at once|fence/);
  });

  test("with a dead waiter promoted, the others wait for ever", () => {
    const options = { known: "unknown", hangsOn: "beacon", crashes: 1, atEnd: () => {} } as const;
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
