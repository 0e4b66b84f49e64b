import { describe, expect, test } from "vitest";
import { emptyDocument, type WaiterEntry } from "../../../../../src/stores/document/document.ts";
import { LINE_LIMIT } from "../../../../../src/stores/document/operations/claim.ts";
import type { Judgement } from "../../../../../src/stores/document/protocol/judge.ts";
import { Observations } from "../../../../../src/stores/document/protocol/observations.ts";
import type { Seen } from "../../../../../src/stores/document/protocol/swap.ts";
import { decide } from "../../../../../src/stores/document/protocol/turn.ts";
import { claimantOf, KEY } from "../kit.ts";

const GRACE = 1_000;

/** A free key, as one process of its line sees it over time. Of nobody is it known whether it lives. */
class Watcher {
  readonly #id: string;
  readonly #observations = new Observations();
  readonly #limit: number;
  readonly #isReady: boolean;

  constructor(id: string, limit = LINE_LIMIT, isReady = true) {
    this.#id = id;
    this.#limit = limit;
    this.#isReady = isReady;
  }

  /** What it does at that time, where the line is this one: by name, with signs of life. */
  at(time: number, names: readonly (readonly [id: string, sign?: string])[]) {
    const line = names.map(([id, sign]): WaiterEntry => {
      const waiter = { ...claimantOf(id), joined: "2026-11-18T00:00:00.000Z" };
      return sign === undefined ? waiter : { ...waiter, sign };
    });
    const document = { ...emptyDocument(KEY), nonce: "n", turn: "n", line };
    const seen: Seen = { version: "v", document, strong: true, before: time, after: time };
    this.#observations.see(seen, false);
    const candidate = {
      claimant: claimantOf(this.#id),
      slots: 1,
      allowed: [],
      isReady: this.#isReady,
      mayWait: true,
      observations: this.#observations,
      timing: { grace: GRACE, lineLimit: this.#limit },
    };
    return decide(seen, candidate, JUDGED);
  }
}

const JUDGED: Judgement = {
  now: Date.parse("2026-11-18T00:01:00.000Z"),
  shared: true,
  alive: () => null,
  vitality: () => "unknown",
  reviewAt: null,
};

describe("a turn that nobody takes", () => {
  test("is the last one's after one grace, however many before it were silent", () => {
    const names = Array.from({ length: 99 }, (_, index) => [`dead-${index}`] as const);
    const line = [...names, ["last"] as const];
    const last = new Watcher("last");
    expect(last.at(0, line)).toMatchObject({ kind: "stand", standing: { reviewAt: 0.2 * GRACE } });
    expect(last.at(0.99 * GRACE, line).kind).toBe("sign");
    const drop = names.map(([id]) => id);
    expect(last.at(GRACE, line)).toMatchObject({ kind: "take", drop });
  });

  test("a claim that lives shows it to those behind it, and has its own grace from then on", () => {
    const next = new Watcher("next");
    const last = new Watcher("last");
    // It sees the turn later, by a sleep.
    last.at(0, [["dead"], ["next"], ["last"]]);
    next.at(0.33 * GRACE, [["dead"], ["next"], ["last"]]);
    expect(next.at(0.54 * GRACE, [["dead"], ["next"], ["last"]])).toEqual({ kind: "sign" });
    expect(last.at(GRACE, [["dead"], ["next", "s"], ["last"]])).toMatchObject({ kind: "stand" });
    const taken = next.at(1.33 * GRACE, [["dead"], ["next", "s"], ["last"]]);
    expect(taken).toMatchObject({ kind: "take", drop: ["dead"] });
    // Should it die after its sign, the one behind it waits for one grace more.
    expect(last.at(1.9 * GRACE, [["dead"], ["next", "s"], ["last"]]).kind).not.toBe("take");
    const late = last.at(2 * GRACE, [["dead"], ["next", "s"], ["last"]]);
    expect(late).toMatchObject({ kind: "take", drop: ["dead", "next"] });
  });

  test("one sign speaks for all behind it: a long line that lives does not write all at once", () => {
    const last = new Watcher("third");
    last.at(0, [["dead"], ["next"], ["third"], ["last"]]);
    const signed = [["dead"], ["next", "s"], ["third"], ["last"]] as const;
    expect(last.at(0.3 * GRACE, signed).kind).toBe("stand");
    expect(last.at(0.6 * GRACE, signed).kind).toBe("stand");
    expect(last.at(0.64 * GRACE, signed).kind).toBe("sign");
  });

  test("nobody shows it to nobody, unless the line is full: then somebody may stand outside", () => {
    const only = new Watcher("only");
    only.at(0, [["dead"], ["only"]]);
    expect(only.at(0.9 * GRACE, [["dead"], ["only"]]).kind).toBe("stand");
    const full = new Watcher("only", 2);
    full.at(0, [["dead"], ["only"]]);
    expect(full.at(0.9 * GRACE, [["dead"], ["only"]]).kind).toBe("sign");
  });

  test("is taken from outside of a full line, and not past one that is not full", () => {
    const outside = new Watcher("newcomer", 2);
    outside.at(0, [["a"], ["b"]]);
    expect(outside.at(GRACE, [["a"], ["b"]])).toMatchObject({ kind: "take", drop: ["a", "b"] });
    const newcomer = new Watcher("newcomer", 3);
    newcomer.at(0, [["a"], ["b"]]);
    expect(newcomer.at(GRACE, [["a"], ["b"]]).kind).toBe("stand");
  });

  test("a claim that only wants a place clears a full line, and takes nothing", () => {
    const joiner = new Watcher("joiner", 2, false);
    joiner.at(0, [["a"], ["b"]]);
    expect(joiner.at(0.99 * GRACE, [["a"], ["b"]]).kind).toBe("stand");
    expect(joiner.at(GRACE, [["a"], ["b"]])).toMatchObject({ kind: "bury", line: ["a", "b"] });
    // Those that live have shown it.
    expect(joiner.at(1.1 * GRACE, [["a"], ["b", "s"]]).kind).toBe("stand");
    const early = new Watcher("early", 3, false);
    early.at(0, [["a"], ["b"]]);
    expect(early.at(2 * GRACE, [["a"], ["b"]]).kind).toBe("stand");
  });
});
