import { describe, expect, it } from "vitest";
import { loginOf, parseEtcdAddress } from "../../../../../src/stores/engines/etcd/address.ts";
import { Names, textOf } from "../../../../../src/stores/engines/etcd/requests.ts";
import { isDocumentStore, tokenIn } from "../../../../../src/stores/open.ts";

describe("the address of an etcd", () => {
  it("names endpoints, a prefix and a user, and is shown without a password", () => {
    const address = parseEtcdAddress("ETCDS://ci:p%2Fa%40s%25s@a:1,[::1],10.0.0.1:3/team/deploys/");
    const shown = "etcds://ci@a:1,[::1]:2379,10.0.0.1:3/team/deploys";
    const called = `The etcd of ${shown}`;
    expect(address).toEqual({
      shown,
      called,
      endpoints: [
        expect.objectContaining({ host: "a", port: 1, secure: true, called, on: " on a:1" }),
        expect.objectContaining({ host: "::1", port: 2379, secure: true, on: " on [::1]:2379" }),
        expect.objectContaining({ host: "10.0.0.1", port: 3, withoutTls: "etcd://10.0.0.1:3" }),
      ],
      prefix: "team/deploys",
      user: "ci",
      password: "p/a@s%s",
    });
    expect(parseEtcdAddress(address.shown)).toEqual({ ...address, password: null });
  });

  it("has a port and a prefix where none is named", () => {
    expect(parseEtcdAddress("etcd://host").shown).toBe("etcd://host:2379/holdfast");
    expect(parseEtcdAddress("etcd://host:80/").shown).toBe("etcd://host:80/holdfast");
  });

  it.each([
    ["etcd:host", "is not complete"],
    ["etcd://", "no good host"],
    ["etcd://a,,b", "no good host"],
    ["etcd://a:0", "no good host"],
    ["etcd://a:65536", "no good host"],
    ["etcd://a:x", "no good host"],
    ["etcd://a b", "no good host"],
    ["etcd://a/x?tls=1", "options or a fragment"],
    ["etcd://a/x#y", "options or a fragment"],
    ["etcd://a//b//c", "has the prefix"],
    ["etcd://a/..", "has the prefix"],
    ["etcd://a/b c", "has the prefix"],
    ["etcd://a/%41", "has the prefix"],
    ["etcd://:hush@a", "a password and no user"],
    ["etcd://u:hush%@a", "not percent-encoded"],
    ["etcd://u:hush/hush@a", "a / before its @"],
    ["etcd://u:hush%0a@a", "control characters"],
  ])("%s is refused in one sentence without its password", (store, problem) => {
    expect(() => parseEtcdAddress(store)).toThrow(
      expect.objectContaining({
        code: "BAD_STORE",
        message: expect.stringMatching(/^The store "etcd.*: .*\.$/),
      }),
    );
    expect(() => parseEtcdAddress(store)).toThrow(problem);
    expect(() => parseEtcdAddress(store)).not.toThrow("hush");
  });
});

describe("who asks", () => {
  const of = (url: string, token?: string) =>
    loginOf(parseEtcdAddress(url), token === undefined ? {} : { token });

  it("is told by the URL, then by the token", () => {
    expect(of("etcd://h")).toBeNull();
    expect(of("etcd://u@h")).toBeNull();
    expect(of("etcd://u:p@h", "q")).toEqual({ user: "u", password: "p", secrets: ["p"] });
    expect(of("etcd://u@h", "q:r")).toEqual({
      user: "u",
      password: "q:r",
      secrets: ["q%3Ar", "q:r"],
    });
    expect(of("etcd://h", "q:r:s")).toEqual({
      user: "q",
      password: "r:s",
      secrets: ["r%3As", "r:s"],
    });
  });

  it("cannot be a password alone", () => {
    expect(() => of("etcd://h", "hush")).toThrow(/give it as user:password/);
    expect(() => of("etcd://h", "hush")).not.toThrow("hush");
  });

  it("is taken out of a store's URL, as the token that stands for it", () => {
    expect(isDocumentStore("etcd://h") && isDocumentStore("etcds://h")).toBe(true);
    expect(tokenIn("etcd://u:p%2Fq@h/x")).toEqual({ token: "p/q" });
    for (const store of ["etcd://u@h", "etcd://h", "file:/a:b@c", "tcp://u:p@h", "etcd://u:%@h"])
      expect(tokenIn(store)).toEqual({});
  });
});

describe("the names of keys in etcd", () => {
  it("of two stores never meet, however alike their prefixes are", () => {
    const stores = ["a", "a2", "a/locks", "a/beacons", "a/locks/locks"].map(
      (prefix) => new Names(prefix),
    );
    const keys = ["x", "2/locks/x", "locks", "locks/x", "../a2/locks/x", "beacons/x", "%2F", "🔒"];
    const all = stores.flatMap((names) =>
      keys.flatMap((key) => [names.document(key), names.session(key)]),
    );
    expect(new Set(all).size).toBe(all.length);
  });

  it("lead back to the key, and those of others to none", () => {
    const [names, inner] = [new Names("a"), new Names("a/locks")];
    for (const key of ["x", "a/b", "%", "ä"]) {
      expect(names.keyOf(names.document(key))).toBe(key);
      expect(names.keyOf(inner.document(key))).toBeNull();
    }
    expect(textOf(names.documents.key)).toBe("a/locks/");
    expect(textOf(names.documents.range_end)).toBe("a/locks0");
  });
});
