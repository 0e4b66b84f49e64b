import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hasControl } from "../../../../src/lock/text.ts";
import { keyOf, parseAddress, pathOf, serverKeyOf } from "../../../../src/stores/http/address.ts";

describe("the URL of a server", () => {
  it.each([
    ["http://host:8080", "http://host:8080", "host", 8080, false, ""],
    ["http://host", "http://host", "host", 80, false, ""],
    ["https://host", "https://host", "host", 443, true, ""],
    ["HTTPS://Host.Example:443/", "https://host.example", "host.example", 443, true, ""],
    ["http://host:8080/deploys", "http://host:8080/deploys", "host", 8080, false, "deploys/"],
    ["http://host/a/b/", "http://host/a/b", "host", 80, false, "a/b/"],
    ["http://host/my%20team", "http://host/my%20team", "host", 80, false, "my team/"],
    ["http://host/my team", "http://host/my%20team", "host", 80, false, "my team/"],
    ["http://[::1]:8080", "http://[::1]:8080", "::1", 8080, false, ""],
    [" http://127.0.0.1:1 ", "http://127.0.0.1:1", "127.0.0.1", 1, false, ""],
    [
      "http://bücher.example",
      "http://xn--bcher-kva.example",
      "xn--bcher-kva.example",
      80,
      false,
      "",
    ],
  ])("%s", (text, shown, host, port, secure, base) => {
    const address = parseAddress(text);
    expect(address).toMatchObject({ shown, host, port, secure, base });
    expect(parseAddress(address.shown)).toEqual(address);
  });

  it.each([
    ["http:host", "is not complete"],
    ["http://", "no good host"],
    ["http://:8080", "no good host"],
    ["http://host:99999", "no good host"],
    ["http://host:0", "no good host"],
    ["http://ho st", "no good host"],
    ["http://host/a/../b", "read in several ways"],
    ["http://host/a/%2e%2e/b", "read in several ways"],
    ["http://host/a//b", "read in several ways"],
    ["http://host/./a", "read in several ways"],
    ["http://host/a%2fb", "read in several ways"],
    ["http://host/a%5cb", "read in several ways"],
    ["http://host/a%00b", "read in several ways"],
    ["http://host/a%zz", "read in several ways"],
    ["http://host\\a", "read in several ways"],
    ["http://host/admin", "begins with /admin"],
    ["http://host/auth/session", "begins with /auth"],
    ["http://host/a#b", "goes on after its path"],
  ])("refuses %s", (text, problem) => {
    expect(() => parseAddress(text)).toThrow(problem);
  });

  it("shows neither credentials nor a query, which may hold a secret", () => {
    for (const text of ["http://me:hush@host/x", "http://hush@host", "http://host/x?token=hush"]) {
      try {
        parseAddress(text);
        expect.unreachable();
      } catch (error) {
        expect(error).toMatchObject({ code: "BAD_STORE" });
        expect((error as Error).message).not.toContain("hush");
      }
    }
  });
});

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
