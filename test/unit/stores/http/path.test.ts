import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hasControl } from "../../../../src/lock/text.ts";
import { keyOf, pathOf, serverKeyOf } from "../../../../src/stores/http/address.ts";

/** Printable text, rich in what paths and URLs have meanings for. */
const keys = fc
  .array(
    fc.oneof(
      {
        weight: 3,
        arbitrary: fc.constantFrom("/", ".", "..", "%", "%2F", "%2e", "\\", "?", "#", " "),
      },
      {
        weight: 2,
        arbitrary: fc.constantFrom("auth", "admin", "healthz", "metrics", "a", "Ä", "🔒"),
      },
      fc.string({ unit: "grapheme", minLength: 1, maxLength: 4 }),
    ),
    { minLength: 1, maxLength: 6 },
  )
  .map((parts) => parts.join(""))
  .filter((key) => key.isWellFormed() && !hasControl(key));
const bases = fc.constantFrom("", "deploys/", "a/b/");

describe("keys and paths", () => {
  it.each([
    ["", "production", "/production"],
    ["", "a/b", "/a/b"],
    ["deploys/", "a b", "/deploys/a%20b"],
    ["", "Ä", "/%C3%84"],
    ["", "x.lock", "/x.lock"],
    ["", "a?b#c", "/a%3Fb%23c"],
    ["", "..", "/%252E%252E"],
    ["", "../x", "/%252E%252E%252Fx"],
    ["", "a/", "/a%252F"],
    ["", "a%2Fb", "/a%25252Fb"],
    ["", "metrics", "/%256Detrics"],
    ["", "auth/session", "/auth%252Fsession"],
    ["deploys/", "metrics", "/deploys/metrics"],
  ])("base %j, key %j: %s", (base, key, path) => {
    expect(pathOf(serverKeyOf(base, key))).toBe(path);
  });

  it("nothing on the way reads a path in another way, and the server's single decoding gives the key", () => {
    fc.assert(
      fc.property(bases, keys, (base, key) => {
        const serverKey = serverKeyOf(base, key);
        const path = pathOf(serverKey);
        expect(new URL(path, "http://host").pathname).toBe(path);
        expect(decodeURIComponent(path.slice(1))).toBe(serverKey);
        for (const segment of serverKey.split("/")) expect(segment).not.toMatch(/^\.{0,2}$/);
      }),
    );
  });

  it("a list tells each key as its user wrote it, so that no two are one", () => {
    fc.assert(
      fc.property(bases, keys, (base, key) => {
        expect(keyOf(base, serverKeyOf(base, key))).toBe(key);
      }),
    );
  });

  it("a key of other clients that only looks encoded is shown as it is", () => {
    expect(keyOf("", "a%2Fb")).toBe("a%2Fb");
    expect(keyOf("", "50%")).toBe("50%");
    expect(keyOf("deploys/", "production")).toBeNull();
    expect(keyOf("deploys/", "deploys/production")).toBe("production");
    expect(keyOf("deploys/", "deploys/")).toBeNull();
  });
});
