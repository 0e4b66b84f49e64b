import { describe, expect, it } from "vitest";
import { loginOf, Names, parseS3Address } from "../../../../../src/stores/engines/s3/address.ts";

describe("the address of a bucket", () => {
  it.each([
    [
      "s3://locks",
      {},
      "https://locks.s3.us-east-1.amazonaws.com/",
      "s3://locks/holdfast?region=us-east-1",
    ],
    [
      "s3://locks/deploys/?region=eu-central-1",
      { AWS_REGION: "us-west-2" },
      "https://locks.s3.eu-central-1.amazonaws.com/",
      "s3://locks/deploys?region=eu-central-1",
    ],
    [
      "s3://locks/a/b",
      { AWS_REGION: "us-west-2", AWS_DEFAULT_REGION: "us-east-2" },
      "https://locks.s3.us-west-2.amazonaws.com/",
      "s3://locks/a/b?region=us-west-2",
    ],
    [
      "S3://locks.example.com/x",
      { AWS_DEFAULT_REGION: "cn-north-1" },
      "https://s3.cn-north-1.amazonaws.com.cn/locks.example.com/",
      "s3://locks.example.com/x?region=cn-north-1",
    ],
    [
      "s3://locks?endpoint=http://[::1]:9000",
      {},
      "http://[::1]:9000/locks/",
      "s3://locks/holdfast?endpoint=http://%5B::1%5D:9000",
    ],
    [
      "s3://locks?endpoint=https%3A%2F%2Fminio.example.com%2Fs3%2F&region=here",
      { AWS_ENDPOINT_URL_S3: "http://other" },
      "https://minio.example.com/s3/locks/",
      "s3://locks/holdfast?endpoint=https://minio.example.com/s3&region=here",
    ],
    [
      "s3://locks",
      { AWS_ENDPOINT_URL_S3: "https://one:9000", AWS_ENDPOINT_URL: "https://two:9000" },
      "https://one:9000/locks/",
      "s3://locks/holdfast?endpoint=https://one:9000",
    ],
    [
      "s3://locks",
      { AWS_ENDPOINT_URL: "https://two:9000" },
      "https://two:9000/locks/",
      "s3://locks/holdfast?endpoint=https://two:9000",
    ],
  ])("%s with %j", (text, env, place, shown) => {
    const address = parseS3Address(text, env);
    expect(address.origin + address.base).toBe(place);
    expect(address.shown).toBe(shown);
    // What is saved leads to the same place where no variable is set.
    const again = parseS3Address(shown, {});
    expect([again.origin, again.base, again.region, again.shown]).toEqual([
      address.origin,
      address.base,
      address.region,
      shown,
    ]);
  });

  it.each([
    ["s3://", /names no bucket: write it as s3:\/\/bucket\/prefix/],
    ["s3:///prefix", /names no bucket/],
    ["s3:bucket", /names no bucket/],
    ["s3://Bucket", /has "Bucket" as its bucket: use the bucket's own name/],
    ["s3://ab", /as its bucket/],
    ["s3://a..b", /as its bucket/],
    ["s3://a_b", /as its bucket/],
    ["s3://192.168.0.1", /as its bucket/],
    ["s3://bucket:9000", /as its bucket/],
    [`s3://${"b".repeat(64)}`, /as its bucket/],
    ["s3://bucket/a//b", /has the prefix "a\/\/b": use letters/],
    ["s3://bucket/../b", /has the prefix/],
    ["s3://bucket/a%20b", /has the prefix/],
    ["s3://bucket#x", /has a fragment/],
    [
      "s3://bucket?prefix=x",
      /unknown option "prefix" after the \?: the known ones are \?endpoint=/,
    ],
    ["s3://bucket?region=a&region=b", /option "region" twice/],
    ["s3://bucket?region=eu/central", /has the region "eu\/central"/],
    ["s3://bucket?endpoint=minio:9000", /has an endpoint in \?endpoint= that is no address/],
    ["s3://bucket?endpoint=ftp://minio", /write it with its scheme and without credentials/],
    ["s3://bucket?endpoint=http://h/?x", /no address|unknown option/],
  ])("%s is BAD_STORE", (text, sentence) => {
    expect(() => parseS3Address(text, {})).toThrow(sentence);
    try {
      parseS3Address(text, {});
    } catch (error) {
      expect(error).toMatchObject({ code: "BAD_STORE" });
    }
  });

  it.each([
    "s3://key:hush-hush@bucket/prefix",
    "s3://bucket/prefix?endpoint=http://key:hush-hush@minio:9000",
    "s3://hush-hush@bucket",
  ])("%s holds credentials, which are not shown", (text) => {
    expect(() => parseS3Address(text, {})).toThrow(/set AWS_ACCESS_KEY_ID/);
    expect(() => parseS3Address(text, {})).not.toThrow(/hush/);
  });

  it("an endpoint in a variable with credentials in it is not shown", () => {
    const env = { AWS_ENDPOINT_URL: "https://key:hush-hush@minio" };
    expect(() => parseS3Address("s3://bucket", env)).toThrow(/AWS_ENDPOINT_URL/);
    expect(() => parseS3Address("s3://bucket", env)).not.toThrow(/hush/);
  });
});

describe("the names of objects", () => {
  const names = new Names("a");

  it.each([
    ["production", "a/locks/production.json"],
    ["v1.2-rc", "a/locks/v1.2-rc.json"],
    [".", "a/locks/_2e.json"],
    ["Ä/_", "a/locks/_c3_84_2f_5f.json"],
    ["x".repeat(200), `a/locks/${"x".repeat(200)}.json`],
    ["🔒".repeat(50), `a/locks/${`${"_f0_9f_94_92".repeat(16)}_f0_9f`}`],
  ])("%s", (key, name) => {
    expect(names.document(key)).toContain(name);
    expect(names.keyOf(names.document(key))).toBe(key);
  });

  it("have no part of more than 255 bytes, and none is a folder of another", () => {
    const keys = ["🔒".repeat(50), "🔒".repeat(16), `${"🔒".repeat(16)}.`, "x".repeat(200)];
    const all = keys.map((key) => names.document(key));
    for (const name of all) {
      expect(name.split("/").every((part) => part.length <= 255)).toBe(true);
      expect(all.some((other) => other.startsWith(`${name}/`))).toBe(false);
    }
  });

  it.each([
    "a/locks/",
    "a/locks/x",
    "a/locks/X.json",
    "a/locks/x/y.json",
    "a/locks/_2.json",
    "b/locks/x.json",
  ])("%s is no lock of this store", (name) => expect(names.keyOf(name)).toBeNull());
});

describe("credentials", () => {
  const address = parseS3Address("s3://locks", {});
  const variables = { AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "secret" };

  it("are the token's, else the variables'", () => {
    expect(loginOf(address, { token: "a:b:c" }, variables)).toEqual({
      accessKeyId: "a",
      secretAccessKey: "b:c",
      secrets: ["b%3Ac", "b:c"],
    });
    expect(loginOf(address, {}, variables)).toEqual({
      accessKeyId: "id",
      secretAccessKey: "secret",
      secrets: ["secret"],
    });
    const session = { ...variables, AWS_SESSION_TOKEN: "session" };
    expect(loginOf(address, {}, session)).toMatchObject({ sessionToken: "session" });
  });

  it.each([
    [{}, {}, /needs credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY/],
    [{}, { AWS_ACCESS_KEY_ID: "id" }, /needs credentials/],
    [{ token: "hush-hush" }, variables, /has no colon in it: give it as access-key:secret-key/],
    [{ token: "id:hush\u0007" }, {}, /control characters/],
  ])("%j with %j are no good", (options, env, sentence) => {
    expect(() => loginOf(address, options, env)).toThrow(sentence);
    expect(() => loginOf(address, options, env)).not.toThrow(/hush/);
  });
});
