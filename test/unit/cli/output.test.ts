import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cutToColumns } from "../../../src/cli/output.ts";
import { suggest } from "../../../src/cli/suggest.ts";
import { ordinal } from "../../../src/forecast/words.ts";
import { jsonText, shellWord, showable } from "../../../src/lock/text.ts";

/** What a terminal would obey, or what would make a line read as another. */
const DANGEROUS =
  /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

const evil = fc.string({
  unit: fc.oneof(
    fc.constantFrom("\u001b", "\u009b", "\n", "\r", "\u202e", "\u2066", "\u007f", "[", "2J"),
    fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
  ),
});

describe("text of others on a terminal", () => {
  test("carries no escape, no second line and no turned direction", () => {
    fc.assert(fc.property(evil, (text) => !DANGEROUS.test(showable(text))));
  });

  test("plain text stays as it is", () => {
    expect(showable("ci-github-456-1-deploy für 名前 🔒")).toBe(
      "ci-github-456-1-deploy für 名前 🔒",
    );
  });

  test("an escape cannot clear the screen", () => {
    expect(showable("a\u001b[2Jb\u009b2Jc\u202ed")).toBe("a [2Jb 2Jc\ufffdd");
  });

  test("JSON has no such character either, and is read back the same", () => {
    fc.assert(
      fc.property(evil, (text) => {
        const written = jsonText({ text });
        expect(written).not.toMatch(DANGEROUS);
        expect(JSON.parse(written)).toEqual({ text });
      }),
    );
  });
});

describe("a line cut to a terminal's width", () => {
  test.each([
    ["abcdef", 6, "abcdef"],
    ["abcdef", 5, "abcd…"],
    ["日本語", 6, "日本語"],
    ["日本語", 5, "日本…"],
    ["日本語", 4, "日…"],
    ["e\u0301e\u0301e\u0301", 3, "e\u0301e\u0301e\u0301"],
    ["🔒🔒", 3, "🔒…"],
    ["", 0, ""],
  ])("%j in %i columns", (text, columns, cut) => {
    expect(cutToColumns(text, columns)).toBe(cut);
  });
});

test.each([
  [1, "1st"],
  [2, "2nd"],
  [3, "3rd"],
  [4, "4th"],
  [11, "11th"],
  [12, "12th"],
  [13, "13th"],
  [21, "21st"],
  [102, "102nd"],
  [111, "111th"],
])("%i is the %s", (place, word) => {
  expect(ordinal(place)).toBe(word);
});

test.each([
  ["statsu", "status"],
  ["stat", "status"],
  ["lst", "list"],
  ["brake", "break"],
  ["rnu", "run"],
  ["deploy", null],
  ["", null],
])("%j may mean %j", (word, meant) => {
  expect(suggest(word, ["run", "status", "list", "break", "clean", "help"])).toBe(meant);
});

test.each([
  ["production", "production"],
  ["file:/var/lib/holdfast", "file:/var/lib/holdfast"],
  ["a b", "'a b'"],
  ["it's", `'it'\\''s'`],
  ["$(reboot)", "'$(reboot)'"],
])("%s is copied to a shell as %s", (word, quoted) => {
  expect(shellWord(word)).toBe(quoted);
});
