import { expect, test } from "vitest";
import { enumerated, locksWere } from "../../../../src/lock/people/names.ts";

test("names in a sentence", () => {
  expect([["a"], ["a", "b"], ["a", "b", "c"]].map(enumerated)).toEqual([
    "a",
    "a and b",
    "a, b and c",
  ]);
  expect(locksWere(["a"])).toBe('The lock "a" was');
  expect(locksWere(["a", "b"])).toBe('The locks "a" and "b" were');
});
