import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { identify } from "../../../src/ci/index.ts";
import { checkMetadata, parseOwnerId } from "../../../src/lock/owner.ts";
import { ENVIRONMENTS, PURPOSES } from "../../../src/lock/ttl.ts";
import { MARKS, RECORDED, surroundings } from "./recorded.ts";

const NAMES = [
  ...new Set(RECORDED.flatMap((recorded) => Object.keys(recorded.env))),
  "HOLDFAST_USER",
  "HOLDFAST_SESSION",
  "HOLDFAST_SESSION_TOKEN",
];

/** Any text at all: lone surrogates, control characters, blanks, long ones, URLs. */
const value = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)) }),
  fc.constantFrom("", " ", "\n", "true", "false", "woodpecker", "jenkins-x", "{}", "0", "1"),
  fc.string({ unit: "binary", minLength: 1, maxLength: 3 }).map((text) => text.repeat(4_000)),
  fc.webUrl(),
);
const anyEnv = fc.dictionary(fc.constantFrom(...NAMES), value, { noNullPrototype: true });
const anyMachine = fc.record({
  pid: fc.nat(),
  hostname: value,
  user: value,
  isContainer: fc.boolean(),
});

test("any environment gives an acceptable owner and metadata", () => {
  const anyOverrides = fc.record(
    {
      purpose: fc.constantFrom(...PURPOSES),
      environment: fc.constantFrom(...ENVIRONMENTS),
      user: value,
      leg: value,
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(anyEnv, anyMachine, anyOverrides, (env, machine, overrides) => {
      const identity = identify(surroundings(env, machine), overrides);
      expect(parseOwnerId(identity.owner.id)).toBe(identity.owner.id);
      expect(checkMetadata(identity.owner.metadata)).toBe(identity.owner.metadata);
      expect(identity.user).not.toBe("");
      expect(identity.owner.metadata.environment).toBe(identity.environment);
      expect(identity.owner.metadata.purpose).toBe(identity.purpose);
      const url = identity.owner.metadata.run_url;
      if (url !== undefined) expect(String(url)).toMatch(/^https?:\/\/[^@]/);
    }),
    { numRuns: 1_000 },
  );
});

describe.each(RECORDED)("$name", (recorded) => {
  test("stays itself whatever its other variables say", () => {
    const others = Object.keys(recorded.env).filter((name) => !MARKS.includes(name));
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...others), value), (changes) => {
        const identity = identify(surroundings({ ...recorded.env, ...changes }));
        expect(identity.system).toBe(recorded.system);
        expect(parseOwnerId(identity.owner.id)).toMatch(new RegExp(`^ci-${recorded.system}`));
        checkMetadata(identity.owner.metadata);
      }),
      { numRuns: 50 },
    );
  });
});

test("the same surroundings give the same identity, and are left as they are", () => {
  fc.assert(
    fc.property(anyEnv, anyMachine, (env, machine) => {
      const before = structuredClone(env);
      const first = identify(surroundings(env, machine));
      expect(identify(surroundings(env, machine))).toEqual(first);
      expect(env).toEqual(before);
    }),
    { numRuns: 100 },
  );
});
