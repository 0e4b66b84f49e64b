import { describe, expect, it } from "vitest";
import { openStore } from "../../../../src/stores/open.ts";
import { parseAddresses, serverOf } from "../../../../src/stores/tcp/address.ts";

describe("the URL of a lock server", () => {
  it.each([
    ["tcp://locks.internal", "tcp://locks.internal:6388"],
    ["tcp://locks.internal:7000", "tcp://locks.internal:7000"],
    ["TLS://Locks.Internal/", "tls://locks.internal:6388"],
    ["tcp://[::1]", "tcp://[::1]:6388"],
    ["tls://[2001:DB8::1]:443", "tls://[2001:db8::1]:443"],
    ["tcp://a:1,b , [::1]:3", "tcp://a:1,b:6388,[::1]:3"],
    ["tcp://größe.example", "tcp://xn--gre-6ka8i.example:6388"],
    [" tcp://127.0.0.1:6388 ", "tcp://127.0.0.1:6388"],
  ])("%s is %s", (given, url) => {
    expect(parseAddresses(given).url).toBe(url);
    // What it is called leads back to it.
    expect(parseAddresses(url)).toEqual(parseAddresses(given));
  });

  it("keeps the servers in the order given", () => {
    const { servers } = parseAddresses("tls://b:1,a:2,b:1");
    expect(servers.map(({ host, port, secure }) => [host, port, secure])).toEqual([
      ["b", 1, true],
      ["a", 2, true],
      ["b", 1, true],
    ]);
  });

  it.each([
    ["tcp:", "is not complete"],
    ["tcp:host", "is not complete"],
    ["tcp://", "no good host"],
    ["tcp://:6388", "no good host"],
    ["tcp://a,,b", "no good host"],
    ["tcp://a b", "no good host"],
    ["tcp://a:port", "no good host"],
    ["tcp://[::1", "no good host"],
    ["tcp://[nonsense]:1", "no good host"],
    ["tcp://::1", "in brackets"],
    ["tcp://a:0", "the port 0"],
    ["tcp://a:65536", "the port 65536"],
    ["tcp://a:6388/deploys", "goes on after the host"],
    ["tcp://a#part", "goes on after the host"],
  ])("%s is refused with what would be right", async (given, problem) => {
    const refused = openStore(given);
    await expect(refused).rejects.toMatchObject({ code: "BAD_STORE" });
    await expect(refused).rejects.toThrow(problem);
  });

  it.each([
    "tcp://user:hush-hush@a:6388",
    "tcp://hush-hush@a",
    "tls://a?token=hush-hush",
    "tcp://a/?token=hush-hush",
    "tcp://hush-hush@",
  ])("never repeats what may be a secret in it", async (given) => {
    const error = await openStore(given).catch((error: Error) => error);
    expect(error).toMatchObject({ code: "BAD_STORE" });
    expect(String(error)).not.toContain("hush-hush");
  });
});

describe("several servers", () => {
  it("share the keys as dflockd's own clients do", () => {
    // CRC-32 of "123456789" is the check value that every description of it gives.
    expect(serverOf([0, 1, 2, 3, 4, 5, 6], "123456789")).toBe(0xcbf43926 % 7);
    expect(serverOf(["a", "b"], "größe")).toBe("b"); // 0x5bd3a989
  });

  it("each get some", () => {
    const keys = Array.from({ length: 300 }, (_, index) => `key-${index}`);
    const counts = [0, 0, 0];
    for (const key of keys)
      counts[serverOf([0, 1, 2], key)] = (counts[serverOf([0, 1, 2], key)] ?? 0) + 1;
    expect(Math.min(...counts)).toBeGreaterThan(50);
  });
});
