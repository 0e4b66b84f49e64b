import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  isCutName,
  keyOfRefName,
  refNameOf,
} from "../../../../../src/stores/engines/git/protocol/ref-name.ts";

/** Keys as parseKey lets them through: 1 to 200 bytes without control characters. */
const keys = fc
  .oneof(
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 200 }),
    fc.string({ unit: "binary", minLength: 1, maxLength: 100 }),
    fc.string({
      unit: fc.constantFrom(
        "a",
        "A",
        ".",
        "/",
        "-",
        "_",
        "@",
        "{",
        "~",
        "%",
        " ",
        "lock",
        ".lock",
        "é",
        "=",
      ),
      minLength: 1,
      maxLength: 60,
    }),
  )
  .filter(
    (key) =>
      key.isWellFormed() &&
      Buffer.byteLength(key) <= 200 &&
      !/[\u0000-\u001f\u007f-\u009f]/.test(key),
  );

const HARD = [
  ".", "..", "...", "a..b", ".a", "a.", "a.lock", "a.lock.lock", ".lock", "lock", "@", "@{", "a@{b",
  "a/b", "/", "//", "a//b", "../x", "~", "^", ":", "?", "*", "[", "\\", " ", "a b", "-", "-x", "%41",
  "=", "a=b", "🔒", "production", "Production", "PRODUCTION", "HEAD", "refs/heads/main", "a.b.c",
  "x".repeat(200), "X".repeat(200), "é".repeat(100), `${"X".repeat(199)}y`, "con", "a.lock/b",
]; // biome-ignore format: a table

describe("the ref of a key", () => {
  it("is one that git accepts, for every key", () => {
    const sample = [...HARD, ...fc.sample(keys, 400)];
    const refs = sample.map((key) => `refs/holdfast/v1/${refNameOf(key)}`);
    // One process for all: each line is checked as a ref to be made, before any is made.
    const script = refs
      .map((ref) => `git check-ref-format '${ref}' || echo 'bad ${ref}'`)
      .join("\n");
    const { stdout, status } = spawnSync("sh", { input: script, encoding: "utf8" });
    expect(stdout).toBe("");
    expect(status).toBe(0);
    expect(refs.every((ref) => /^[a-z0-9/._%=-]+$/.test(ref))).toBe(true);
  });

  it("is a single component of at most 200 bytes", () => {
    fc.assert(
      fc.property(keys, (key) => {
        const name = refNameOf(key);
        expect(name.length).toBeLessThanOrEqual(200);
        expect(name).not.toContain("/");
        expect(name).toMatch(/^[a-z0-9._%=-]+$/);
      }),
    );
  });

  it("is read back, or was cut", () => {
    fc.assert(
      fc.property(keys, (key) => {
        const name = refNameOf(key);
        if (name.includes("=")) {
          expect(isCutName(name)).toBe(true);
          expect(keyOfRefName(name)).toBeNull();
        } else {
          expect(keyOfRefName(name)).toBe(key);
        }
      }),
    );
  });

  it("differs for keys that differ, also on a disk that does not tell capitals", () => {
    fc.assert(
      fc.property(keys, keys, (one, other) => {
        if (one === other) return;
        expect(refNameOf(one).toLowerCase()).not.toBe(refNameOf(other).toLowerCase());
      }),
    );
    const names = HARD.map((key) => refNameOf(key).toLowerCase());
    expect(new Set(names).size).toBe(HARD.length);
  });

  it("stays readable where it can", () => {
    expect(refNameOf("production")).toBe("production");
    expect(refNameOf("deploy-eu_1.2")).toBe("deploy-eu_1.2");
    expect(refNameOf("Team/App")).toBe("%54eam%2f%41pp");
    expect(refNameOf("a.lock")).toBe("a%2elock");
    expect(refNameOf("..")).toBe("%2e%2e");
  });

  it("does not take names of other tools for keys", () => {
    for (const name of ["Main", "a%2E", "%zz", "a/b", "", "x=1", "%61"]) {
      expect(keyOfRefName(name)).toBeNull();
    }
  });
});
