import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sha256 } from "../../../src/lock/digest.ts";

const theirs = (text: string) => createHash("sha256").update(text, "utf8").digest("hex");

describe("sha256", () => {
  test.each([
    ["", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
    ["abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
    [
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
    ],
  ])("the standard's own example %j", (text, digest) => {
    expect(sha256(text)).toBe(digest);
  });

  test("every length up to a few blocks, and around the border to Node's", () => {
    const lengths = [...Array(300).keys(), 4_095, 4_096, 4_097, 10_000];
    for (const length of lengths) {
      const text = "k".repeat(length);
      expect(sha256(text), `${length} bytes`).toBe(theirs(text));
    }
  });

  test("any text, as Node's crypto has it", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 400 }), (text) => {
        expect(sha256(text)).toBe(theirs(text));
      }),
      { numRuns: 2_000 },
    );
  });
});
