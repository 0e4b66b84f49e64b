import { describe, expect, it } from "vitest";
import { parseAddress } from "../../../../src/stores/http/address.ts";

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
