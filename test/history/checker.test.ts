import { describe, expect, test } from "vitest";
import { seededRandom } from "../../src/forecast/seeded.ts";
import { admit, type InLine } from "../../src/lock/admission.ts";
import { check } from "./checker.ts";
import type { Fault } from "./claims.ts";
import type { Event } from "./event.ts";
import { generate } from "./generate.ts";
import { MUTATIONS } from "./mutate.ts";

const TELL_WITHIN = 100_000;
const OPTIONS = { tellWithin: TELL_WITHIN };
const HISTORIES = 300;

function legal(seed: number, rule?: typeof admit): Event[] {
  const random = seededRandom(seed);
  const slots = 1 + Math.floor(random() * 3);
  const faults = seed % 3 === 0 ? 0 : 0.06;
  const tellWithin = TELL_WITHIN;
  const shares = rule !== undefined || seed % 2 === 0;
  const size = rule === undefined ? { claims: 60, processes: 6 } : { claims: 120, processes: 24 };
  return generate({ ...size, slots, faults, tellWithin, shares, ...(rule && { rule }) }, random);
}

/** Rules of admission that break one of the promises, and how the checker calls that. */
const WRONG_RULES: readonly (readonly [string, Fault["kind"], typeof admit])[] = [
  [
    "a lighter claim enters past a heavy one that does not fit",
    "order",
    (free, line) =>
      admit(
        free,
        hidden(line, ({ weight }) => weight > free),
      ),
  ],
  [
    "priorities are ignored",
    "priority",
    (free, line) =>
      admit(
        free,
        line.map((each) => ({ ...each, priority: 0 })),
      ),
  ],
  [
    "a claim is passed as often as others like",
    "starved",
    (free, line) =>
      admit(
        free,
        line.map((each) => ({ ...each, passed: 0 })),
      ),
  ],
  [
    "the light ones take more than there is",
    "overlap",
    (_, line) =>
      admit(
        1,
        line.map((each) => ({ ...each, weight: 1 })),
      ),
  ],
];

function hidden(line: readonly InLine[], which: (claim: InLine) => boolean): InLine[] {
  return line.map((each) => (which(each) ? { ...each, ready: false } : each));
}

describe("the checker of histories", () => {
  test("accepts what a perfect lock makes", () => {
    for (let seed = 1; seed <= HISTORIES; seed++) {
      const { faults, unknown, grants } = check(legal(seed), OPTIONS);
      expect({ seed, faults, unknown }).toEqual({ seed, faults: [], unknown: [] });
      expect(grants).toBeGreaterThan(20);
    }
  });

  test.for([["the rule", null, admit] as const, ...WRONG_RULES])(
    "knows a lock by which %s",
    ([, kind, rule]) => {
      let found = 0;
      for (let seed = 1; seed <= HISTORIES / 3; seed++) {
        const { faults } = check(legal(seed, rule), OPTIONS);
        const kinds = new Set(faults.map((fault) => fault.kind));
        if (kind === null) expect({ seed, faults }).toEqual({ seed, faults: [] });
        else if (kinds.has(kind)) found++;
      }
      if (kind !== null) expect(found).toBeGreaterThan(HISTORIES / 10);
    },
  );

  test.for(MUTATIONS)("finds every history in which $name", ({ kind, apply }) => {
    let tried = 0;
    const missed: number[] = [];
    for (let seed = 1; seed <= HISTORIES; seed++) {
      const mutant = apply(legal(seed), seededRandom(seed + 1_000_000));
      if (mutant === null) continue;
      tried++;
      const { faults } = check(mutant, OPTIONS);
      if (!faults.some((fault) => fault.kind === kind)) missed.push(seed);
    }
    expect(tried).toBeGreaterThan(HISTORIES / 10);
    expect(missed).toEqual([]);
  });

  test("calls unknown what a history does not tell to the end", () => {
    const base = { process: "p", key: "k", claim: "c" };
    const claim: Event = { ...base, at: 1, event: "claim", slots: 1 };
    const granted: Event = { ...base, at: 2, event: "granted", fence: 1 };
    expect(check([claim], OPTIONS).unknown).toEqual(["c has no end"]);
    expect(check([claim, granted], OPTIONS).unknown).toEqual(["c has no end"]);
    const kill: Event = { at: 3, process: "p", event: "kill" };
    expect(check([claim, granted, kill], OPTIONS).unknown).toEqual([]);
  });

  test("lets a lock be gone where the store was away during its release or just before, and not otherwise", () => {
    const base = { process: "p", key: "k", claim: "c" };
    const story: Event[] = [
      { ...base, at: 1, event: "claim", slots: 1 },
      { ...base, at: 2, event: "granted", fence: 1 },
      { ...base, at: 5, event: "release", fence: 1 },
      { ...base, at: 9, event: "released", fence: 1, outcome: "already-gone" },
    ];
    const outage = (at: number): Event => ({ at, process: "network", event: "outage" });
    for (const at of [4, 6]) expect(check([...story, outage(at)], OPTIONS).faults).toEqual([]);
    for (const events of [story, [...story, outage(1.5)], [...story, outage(10)]])
      expect(check(events, OPTIONS).faults).toMatchObject([{ kind: "robbed" }]);
    // It would have had to be told by then.
    const strict = check([...story, outage(4)], { tellWithin: 0 });
    expect(strict.faults).toMatchObject([{ kind: "robbed" }]);
  });

  test("calls nonsense what cannot be", () => {
    const base = { process: "p", key: "k", claim: "c" };
    const { faults } = check([{ ...base, at: 1, event: "granted", fence: 1 }], OPTIONS);
    expect(faults).toEqual([
      { kind: "nonsense", sentence: "c has the event granted, and has not claimed or is over" },
    ]);
  });
});
