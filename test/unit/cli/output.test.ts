import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { aligned, screenOf, wrapped } from "../../../src/cli/screen.ts";
import { ordinal } from "../../../src/forecast/words.ts";
import { suggest } from "../../../src/lock/people/suggest.ts";
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

describe("a text on a terminal of some width", () => {
  test.each([
    ["abcdef", 6, ["abcdef"]],
    ["ab cd ef", 5, ["ab cd", "ef"]],
    ["ab cdefgh", 4, ["ab", "cdef", "gh"]],
    ["日本語", 6, ["日本語"]],
    ["日本語", 5, ["日本", "語"]],
    ["e\u0301e\u0301e\u0301", 3, ["e\u0301e\u0301e\u0301"]],
    ["🔒🔒", 3, ["🔒", "🔒"]],
    ["", 0, [""]],
  ])("%j in %i columns", (text, columns, lines) => {
    expect(wrapped(text, columns)).toEqual(lines);
  });
});

describe("rows of cells", () => {
  const output = (isTerminal: boolean, columns = 41) => ({
    write: () => {},
    isTerminal,
    columns: () => columns,
  });
  const rows = [
    [
      { text: "production" },
      { text: "gone", colour: "red" },
      { text: "held by ann for a long while" },
    ],
    [{ text: "db" }, { text: "" }, { text: "free" }],
  ] as const;

  test("are aligned, plain and whole where nobody watches", () => {
    expect(aligned(rows, screenOf(output(false), {}))).toBe(
      "production  gone  held by ann for a long while\ndb                free\n",
    );
  });

  test("are coloured on a terminal, and go on below their own beginning", () => {
    expect(aligned(rows, screenOf(output(true, 43), {}))).toBe(
      [
        "production  \u001b[31mgone\u001b[0m  held by ann for a long",
        "                  while",
        "db                free",
        "",
      ].join("\n"),
    );
  });

  test.each([{ NO_COLOR: "1" }, { TERM: "dumb" }])("have no colours with %j", (env) => {
    expect(aligned(rows, screenOf(output(true, 80), env))).not.toContain("\u001b");
  });

  test("a column that no row needs takes no room, and nothing in a cell reaches the terminal", () => {
    const evil = [[{ text: "k" }, { text: "" }, { text: "a\u001b[2Jb" }]];
    expect(aligned(evil, screenOf(output(true), {}))).toBe("k  a [2Jb\n");
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
