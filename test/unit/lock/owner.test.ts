import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isLockError } from "../../../src/lock/errors.ts";
import {
  checkMetadata,
  ciOwnerId,
  localOwnerId,
  METADATA_FIELDS,
  NOTE_BYTES_LIMIT,
  parseLocalOwnerId,
  parseNote,
  parseOwnerId,
  readMetadata,
  sessionOwnerId,
  tokenOwnerId,
} from "../../../src/lock/owner.ts";
import { byteLength, hasControl } from "../../../src/lock/text.ts";
import { anyText } from "./arbitraries.ts";

describe("the four forms of an owner", () => {
  test("local: pid and host, and back", () => {
    expect(localOwnerId(12345, "laptop.local")).toBe("pid-12345@laptop.local");
    expect(parseLocalOwnerId("pid-12345@laptop.local")).toEqual({
      pid: 12345,
      hostname: "laptop.local",
    });
  });

  test("several users: user and session", () => {
    expect(sessionOwnerId("john.doe@company.com", "sess_abc123")).toBe(
      "user-john.doe@company.com@session-sess_abc123",
    );
  });

  test("cloud: the head of a JWT, but only the digest of any other token", () => {
    const jwt = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxIn0.c2ln";
    expect(tokenOwnerId(jwt)).toBe("token-eyJhbGciOiJIUzI1NiIs");
    const secret = "hunter2hunter2hunter2";
    expect(tokenOwnerId(secret)).toMatch(/^token-[0-9a-f]{20}$/);
    expect(tokenOwnerId(secret)).not.toContain("hunter2");
  });

  test("CI: system and what tells one run of one job from every other", () => {
    expect(ciOwnerId("github", "456", "1", "deploy")).toBe("ci-github-456-1-deploy");
    expect(ciOwnerId("github", "456", undefined, "", "two words\n")).toBe(
      "ci-github-456-two_words",
    );
  });

  test.each(["pid-1", "pid-@h", "pid-x@h", "xpid-1@h", "ci-github-1", "pid-12345678901@h"])(
    "%s is not the local form",
    (id) => {
      expect(parseLocalOwnerId(id)).toBeNull();
    },
  );
});

test.each([
  ["", "empty"],
  ["  ", "empty"],
  ["a\u0007", "control character"],
  ["a\u009b", "control character"],
  ["\udc00", "control character"],
  ["x".repeat(257), "257 bytes"],
])("the owner %j is refused: %s", (text, why) => {
  expect(() => parseOwnerId(text)).toThrow(why);
});

test("an owner of 256 bytes is allowed, and kept as it is", () => {
  expect(parseOwnerId("x".repeat(256))).toHaveLength(256);
  expect(parseOwnerId(" spaced ")).toBe(" spaced ");
});

test("a note is cleaned of control characters and bounded", () => {
  expect(parseNote("v1\npid=1\u001b[31m")).toBe("v1 pid=1 [31m");
  expect(parseNote("x".repeat(1_000))).toHaveLength(1_000);
  expect(() => parseNote("x".repeat(1_001))).toThrow("1001 bytes");
  fc.assert(
    fc.property(anyText, (text) => {
      const note = parseNote(text);
      expect(hasControl(note)).toBe(false);
      expect(note).toBe(note.trim());
      expect(note.isWellFormed()).toBe(true);
      expect(byteLength(note)).toBeLessThanOrEqual(NOTE_BYTES_LIMIT);
    }),
  );
});

describe("metadata that a caller hands in", () => {
  test("known fields with plain values pass unchanged", () => {
    const metadata = { hostname: "h", process_id: 7, environment: "ci", purpose: "automated" };
    expect(checkMetadata(metadata)).toBe(metadata);
  });

  test.each([
    [{ colour: "red" }, '"colour"'],
    [{ __proto__x: 1 }, "not known"],
    [{ toString: "x" }, '"toString"'],
    [{ hostname: null }, "hostname"],
    [{ hostname: ["h"] }, "hostname"],
    [{ hostname: "a\nb" }, "hostname"],
    [{ hostname: "x".repeat(1_001) }, "hostname"],
    [{ process_id: Number.NaN }, "process_id"],
    [{ environment: "moon" }, '"moon"'],
    [{ purpose: "fun" }, '"fun"'],
    [null, "not an object"],
    [["hostname"], "not an object"],
    ["hostname", "not an object"],
  ])("%j is refused, naming the field", (metadata, named) => {
    expect(() => checkMetadata(metadata)).toThrow(named);
    try {
      checkMetadata(metadata);
    } catch (error) {
      expect(isLockError(error, "BAD_METADATA")).toBe(true);
    }
  });

  test("any value is accepted as it is or refused with a code", () => {
    const field = fc.oneof(fc.constantFrom(...METADATA_FIELDS), anyText);
    const anything = fc.oneof(fc.anything(), fc.dictionary(field, fc.oneof(anyText, fc.double())));
    fc.assert(
      fc.property(anything, (value) => {
        try {
          expect(checkMetadata(value)).toBe(value);
        } catch (error) {
          expect(isLockError(error, "BAD_METADATA")).toBe(true);
        }
      }),
    );
  });
});

describe("metadata that a file holds", () => {
  test("unknown fields are kept, values that are not plain are left out, text is cleaned", () => {
    const value = {
      colour: "re\u001bd",
      nested: { a: 1 },
      list: [1],
      nothing: null,
      big: Number.POSITIVE_INFINITY,
    };
    expect(readMetadata({ ...value, flag: true, n: 2 })).toEqual({
      colour: "re d",
      flag: true,
      n: 2,
    });
  });

  test("a field name cannot carry control characters or a prototype", () => {
    const value = JSON.parse('{"a\\u001b[2J":1,"__proto__":{"x":1},"constructor":"c"}');
    const metadata = readMetadata(value);
    expect(Object.keys(metadata)).toEqual(["constructor"]);
    expect(Object.getPrototypeOf(metadata)).toBe(Object.prototype);
  });

  test("any value gives plain, printable metadata", () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        for (const [field, content] of Object.entries(readMetadata(value))) {
          expect(hasControl(field)).toBe(false);
          expect(["string", "number", "boolean"]).toContain(typeof content);
          if (typeof content === "string") expect(hasControl(content)).toBe(false);
          if (typeof content === "number") expect(Number.isFinite(content)).toBe(true);
        }
      }),
    );
  });
});
