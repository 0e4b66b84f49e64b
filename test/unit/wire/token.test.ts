import fc from "fast-check";
import { expect, it } from "vitest";
import { createTokenMaker, fenceOf } from "../../../src/wire/token.ts";

it("a token is a UUIDv7 that gives its fence back", () => {
  const makeToken = createTokenMaker();
  fc.assert(
    fc.property(fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }), (fence) => {
      const token = makeToken(fence);
      expect(token).toMatch(/^[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$/);
      expect(fenceOf(token)).toBe(fence);
    }),
  );
});

it("tokens sort as their fences do, and never come twice", () => {
  const makeToken = createTokenMaker();
  const start = 1_763_287_200_000_000;
  const tokens = Array.from({ length: 5_000 }, (_, index) => makeToken(start + index * 7));
  expect(tokens).toEqual([...tokens].sort());
  const again = Array.from({ length: 5_000 }, () => makeToken(start));
  expect(new Set(again).size).toBe(5_000);
});

it.each([
  "",
  "a1b2c3d4e5f6",
  "0123456789ab4def8123456789abcdef",
  "0123456789ab7fff8123456789abcdef",
  "0123456789ab70018123456789abcdeg",
  "0123456789AB7001812345678 9abcdef",
])("a token that is not ours has no fence: %j", (token) => {
  expect(fenceOf(token)).toBeNull();
});
