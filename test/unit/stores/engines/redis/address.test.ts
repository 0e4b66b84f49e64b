import { describe, expect, it } from "vitest";
import { parseRedisAddress } from "../../../../../src/stores/engines/redis/address.ts";
import { openRedisRegister } from "../../../../../src/stores/engines/redis/register.ts";

describe("the address of a Redis server", () => {
  it.each([
    ["redis://Cache.example", "redis://cache.example:6379"],
    ["redis://h:6379/0?prefix=holdfast", "redis://h:6379"],
    ["rediss://ann:s%2F%40%25@h:6380/3", "rediss://ann@h:6380/3"],
    ["redis://:secret@h:80/?prefix=team:deploys", "redis://h:80?prefix=team:deploys"],
    ["REDIS://[::1]:7000", "redis://[::1]:7000"],
  ])("%s is shown as %s", (store, shown) => {
    expect(parseRedisAddress(store).shown).toBe(shown);
    expect(parseRedisAddress(shown).shown).toBe(shown);
  });

  it("has a user and a password that are percent-decoded", () => {
    const { user, password } = parseRedisAddress("redis://a%40b:p%2Fa%40s%25s%3Aw@h");
    expect([user, password]).toEqual(["a@b", "p/a@s%s:w"]);
  });

  it("keeps prefixes apart, whatever the keys, and databases too", () => {
    const names = (store: string) => parseRedisAddress(store).names;
    const [a, a2, inner] = ["a", "a2", "a:b"].map((prefix) => names(`redis://h?prefix=${prefix}`));
    for (const one of [a, a2, inner])
      for (const other of [a, a2, inner])
        if (one !== other) expect(`${one?.lock}x`.startsWith(other?.lock ?? "")).toBe(false);
    expect(names("redis://h/1").changed).not.toBe(names("redis://h/2").changed);
    expect(() => names("redis://h?prefix=a:lock")).toThrow(/none of the words lock, beacon/);
  });

  it.each([
    ["redis://", /has no good host and port: write it as redis:\/\/host:6379\/0/],
    ["redis:h", /is not complete/],
    ["redis://h/one", /has "one" as its database: write its number/],
    ["redis://h:99999", /has no good host and port/],
    [
      "redis://a:6379,b:6379",
      /names several servers: name the primary alone; Sentinel and Cluster are not supported/,
    ],
    ["redis://h?db=1", /has the unknown option "\w+" after the \?: the known ones are \?prefix=/],
    ["redis://h?prefix=a*", /prefix "a\*" is not acceptable/],
    ["redis://h?prefix=a&prefix=b", /has the option "prefix" twice/],
    ["redis://h/0#x", /has a fragment/],
  ])("%s is refused with a sentence", (store, sentence) => {
    expect(() => openRedisRegister(store)).toThrow(sentence);
    expect(() => openRedisRegister(store)).toThrow(expect.objectContaining({ code: "BAD_STORE" }));
  });

  it.each([
    "redis://u:se/cret@h",
    "redis://u:12/se@h",
    "redis://u:se@cret@h",
    "redis://u:se%cret@h",
    "redis://u:se?cret@h",
  ])("a password that is not percent-encoded is not shown: %s", (store) => {
    const opening = () => openRedisRegister(store);
    expect(opening).toThrow(/is not percent-encoded: write % as %25, @ as %40/);
    expect(opening).not.toThrow(/se.*cret|12|se@/);
  });
});
