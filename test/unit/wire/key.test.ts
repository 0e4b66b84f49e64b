import fc from "fast-check";
import { expect, it } from "vitest";
import { byteLength } from "../../../src/lock/text.ts";
import { decodeWireKey, encodeWireKey } from "../../../src/wire/key.ts";
import { acquireRequest, formatRequest } from "../../../src/wire/request.ts";
import { RequestReader } from "../../../src/wire/request-reader.ts";

it.each([
  ["production", "production"],
  ["org/repo", "org/repo"],
  ["two words", "two%20words"],
  ["100%", "100%25"],
  ["größe ☃", "größe%20☃"],
  ["a\tb\u0085", "a%09b%C2%85"],
])("%j goes over the wire as %j", (key, sent) => {
  expect(encodeWireKey(key)).toBe(sent);
  expect(decodeWireKey(sent)).toBe(key);
});

it("a key that grows too long is cut, and a digest keeps it apart from others", () => {
  const key = "☃ ".repeat(50);
  const sent = encodeWireKey(key);
  expect(byteLength(sent)).toBeLessThanOrEqual(255);
  expect(sent).toMatch(/~[0-9a-f]{64}$/);
  expect(encodeWireKey(`${key}x`)).not.toBe(sent);
  expect(decodeWireKey(sent)).toBe(sent);
});

it("what another client sent is shown as it is where it cannot be decoded", () => {
  expect(decodeWireKey("100%")).toBe("100%");
  expect(decodeWireKey("%FF")).toBe("%FF");
});

it("any key of up to 200 bytes is accepted by the server and comes back", () => {
  const key = fc
    .string({ unit: "grapheme", minLength: 1 })
    .filter((text) => byteLength(text) <= 200);
  fc.assert(
    fc.property(key, (text) => {
      const sent = encodeWireKey(text);
      const reader = new RequestReader();
      reader.push(Buffer.from(formatRequest(acquireRequest({ key: sent, timeout: 0 }))));
      expect(reader.next()?.key).toBe(sent);
      if (!sent.includes("~")) expect(decodeWireKey(sent)).toBe(text);
    }),
  );
});
