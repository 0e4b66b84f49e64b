import { describe, expect, test } from "vitest";
import { isLockError } from "../../../src/lock/errors.ts";
import {
  DEFAULT_RECLAIM,
  decideReclaim,
  parseReclaim,
  RECLAIM_REASONS,
  type ReclaimReason,
} from "../../../src/lock/reclaim.ts";
import { ENVIRONMENTS } from "../../../src/lock/ttl.ts";

const EVERY = [...RECLAIM_REASONS];
const NOBODY = { metadata: {}, allowed: EVERY };

function decide(
  vitality: "alive" | "unknown" | "expired" | "dead",
  holder: Record<string, string>,
  claimant: Record<string, string>,
  allowed: readonly ReclaimReason[] = EVERY,
) {
  return decideReclaim({ vitality, metadata: holder }, { metadata: claimant, allowed });
}

describe("the five reasons and their priorities", () => {
  test("LOCK_EXPIRED is high", () => {
    expect(decide("expired", {}, {})).toEqual({
      canReclaim: true,
      reason: "LOCK_EXPIRED",
      priority: "high",
    });
  });

  test("HOLDER_DEAD is high", () => {
    expect(decide("dead", {}, {})).toMatchObject({ reason: "HOLDER_DEAD", priority: "high" });
  });

  test("SAME_USER is medium", () => {
    const user = { user_identity: "ann" };
    expect(decide("alive", user, user)).toMatchObject({ reason: "SAME_USER", priority: "medium" });
  });

  test("HIGHER_PRIVILEGE is medium", () => {
    expect(decide("alive", { environment: "local" }, { environment: "ci" })).toMatchObject({
      reason: "HIGHER_PRIVILEGE",
      priority: "medium",
    });
  });

  test("EMERGENCY_OVERRIDE is high", () => {
    expect(decide("unknown", {}, { purpose: "emergency" })).toMatchObject({
      reason: "EMERGENCY_OVERRIDE",
      priority: "high",
    });
  });

  test("none of them: LOCK_HELD, low", () => {
    for (const vitality of ["alive", "unknown"] as const) {
      expect(decideReclaim({ vitality, metadata: {} }, NOBODY)).toEqual({
        canReclaim: false,
        reason: "LOCK_HELD",
        priority: "low",
      });
    }
  });
});

test("they are tried in the policy's order: facts first, then user, rank, emergency", () => {
  const both = { user_identity: "ann", environment: "ci", purpose: "emergency" };
  const holder = { user_identity: "ann", environment: "local" };
  expect(decide("expired", holder, both).reason).toBe("LOCK_EXPIRED");
  expect(decide("dead", holder, both).reason).toBe("HOLDER_DEAD");
  expect(decide("alive", holder, both).reason).toBe("SAME_USER");
  expect(decide("alive", { environment: "local" }, both).reason).toBe("HIGHER_PRIVILEGE");
  expect(decide("alive", {}, both).reason).toBe("EMERGENCY_OVERRIDE");
});

test("by default only the expired and the dead lose their lock", () => {
  const both = { user_identity: "ann", environment: "ci", purpose: "emergency" };
  const holder = { user_identity: "ann", environment: "local" };
  expect(decide("alive", holder, both, DEFAULT_RECLAIM).canReclaim).toBe(false);
  expect(decide("expired", holder, both, DEFAULT_RECLAIM).canReclaim).toBe(true);
  expect(decide("dead", holder, both, DEFAULT_RECLAIM).canReclaim).toBe(true);
});

test.each(EVERY)("%s needs to be named", (reason) => {
  const both = { user_identity: "ann", environment: "ci", purpose: "emergency" };
  const holder = { user_identity: "ann", environment: "local" };
  const vitality =
    reason === "LOCK_EXPIRED" ? "expired" : reason === "HOLDER_DEAD" ? "dead" : "alive";
  expect(decide(vitality, holder, both, [reason]).reason).toBe(reason);
  expect(decide(vitality, holder, both, []).reason).toBe("LOCK_HELD");
});

test("nobody is the same user as one who is not named", () => {
  expect(decide("alive", {}, {}).canReclaim).toBe(false);
  expect(decide("alive", { user_identity: "" }, { user_identity: "" }).canReclaim).toBe(false);
});

test("privilege: ci before cloud before local; others neither win nor lose", () => {
  const order = ["ci", "cloud", "local"];
  for (const mine of ENVIRONMENTS) {
    for (const theirs of ENVIRONMENTS) {
      const wins =
        order.includes(mine) &&
        order.includes(theirs) &&
        order.indexOf(mine) < order.indexOf(theirs);
      expect([
        mine,
        theirs,
        decide("alive", { environment: theirs }, { environment: mine }).canReclaim,
      ]).toEqual([mine, theirs, wins]);
    }
  }
  expect(decide("alive", {}, { environment: "ci" }).canReclaim).toBe(false);
});

describe("the words of --reclaim", () => {
  test("are read in any order, with spaces", () => {
    expect(parseReclaim("expired, dead")).toEqual(DEFAULT_RECLAIM);
    expect(parseReclaim("same-user,higher-privilege,emergency")).toEqual([
      "SAME_USER",
      "HIGHER_PRIVILEGE",
      "EMERGENCY_OVERRIDE",
    ]);
    expect(parseReclaim("none")).toEqual([]);
  });

  test.each(["", "all", "dead,", "DEAD", "toString", "dead;expired"])("%j is refused", (text) => {
    try {
      parseReclaim(text);
      expect.unreachable();
    } catch (error) {
      expect(isLockError(error, "BAD_RECLAIM")).toBe(true);
    }
  });
});
