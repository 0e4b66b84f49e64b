import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isLockError } from "../../../src/lock/errors.ts";
import { decodeKey, encodeKey, KEY_BYTES_LIMIT, parseKey } from "../../../src/lock/key.ts";
import { byteLength, hasControl } from "../../../src/lock/text.ts";
import { anyText } from "./arbitraries.ts";

function isKey(text: string): boolean {
  try {
    return parseKey(text) === text;
  } catch {
    return false;
  }
}

/** Legal keys, short and so long that their names are cut. */
const key = fc
  .oneof(
    anyText,
    fc.string({ unit: "binary", minLength: 40, maxLength: 200 }),
    fc.string({ unit: fc.constantFrom("🔒", "é", "a", ".", "/", "~", "%"), maxLength: 60 }),
  )
  .filter(isKey);

describe("parseKey", () => {
  test.each(["production", "../x", "a/b", ".", "..", "...", "two words", "🚀", "é", "%2e", "~"])(
    "%j is legal",
    (text) => {
      expect(parseKey(text)).toBe(text);
    },
  );

  test.each([
    ["", "empty"],
    ["a\nb", "control character"],
    ["a\0", "control character"],
    ["\u007f", "control character"],
    ["\u0085", "control character"],
    ["\ud800", "not valid Unicode"],
    ["x".repeat(201), "201 bytes"],
    ["🚀".repeat(51), "204 bytes"],
  ])("%j is refused: %s", (text, why) => {
    expect(() => parseKey(text)).toThrow(why);
    expect(isKey(text)).toBe(false);
  });

  test("200 bytes are allowed, counted in UTF-8", () => {
    expect(parseKey("x".repeat(200))).toHaveLength(200);
    expect(parseKey("🚀".repeat(50))).toHaveLength(100);
  });

  test("any text is a key or a coded error", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        try {
          expect(parseKey(text)).toBe(text);
          expect(text !== "" && text.isWellFormed() && !hasControl(text)).toBe(true);
          expect(byteLength(text)).toBeLessThanOrEqual(KEY_BYTES_LIMIT);
        } catch (error) {
          expect(isLockError(error, "BAD_KEY")).toBe(true);
        }
      }),
    );
  });
});

describe("encodeKey", () => {
  test.each([
    ["production", "production"],
    ["Prod_1.2-3", "Prod_1.2-3"],
    ["../x", "%2E.%2Fx"],
    ["a/b", "a%2Fb"],
    ["..", "%2E."],
    [".", "%2E"],
    ["a b", "a%20b"],
    ["🚀", "%F0%9F%9A%80"],
    ["a@1", "a%401"],
    ["a~b", "a%7Eb"],
    ["x".repeat(150), "x".repeat(150)],
  ])("%j becomes %s", (text, name) => {
    expect(encodeKey(text)).toBe(name);
  });

  test("a name over 150 bytes is cut to 80 and the digest of the whole key", () => {
    const name = encodeKey("x".repeat(151));
    expect(name).toMatch(/^x{80}~[0-9a-f]{64}$/);
    expect(decodeKey(name)).toBeNull();
  });

  test("every name is a plain, visible file name with room for suffixes", () => {
    fc.assert(
      fc.property(key, (text) => {
        const name = encodeKey(text);
        expect(name).toMatch(/^[A-Za-z0-9_%-][A-Za-z0-9._%~-]*$/);
        expect(`${name}@999.lock.4294967295.${"f".repeat(16)}.tmp`.length).toBeLessThanOrEqual(255);
      }),
    );
  });

  test("a name that was not cut leads back to its key", () => {
    fc.assert(
      fc.property(key, (text) => {
        const name = encodeKey(text);
        expect(decodeKey(name)).toBe(name.includes("~") ? null : text);
      }),
    );
  });

  test("two keys never share a name, even where they differ only after the cut", () => {
    const twins = fc.oneof(
      fc.tuple(key, key),
      fc
        .tuple(key, fc.constantFrom("/", "%2F", ".", "~", "@1", "🔒"))
        .map(([a, end]) => [a, a + end]),
    );
    fc.assert(
      fc.property(twins, ([a, b]) => {
        fc.pre(a !== undefined && b !== undefined && a !== b && isKey(b));
        expect(encodeKey(a as string)).not.toBe(encodeKey(b as string));
      }),
    );
  });

  test("any file name decodes to text or to nothing", () => {
    fc.assert(
      fc.property(anyText, (name) => {
        const decoded = decodeKey(name);
        expect(decoded === null || typeof decoded === "string").toBe(true);
      }),
    );
  });
});
