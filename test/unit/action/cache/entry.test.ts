import { describe, expect, test } from "vitest";
import {
  entryName,
  entryPrefix,
  readMemory,
  writeMemory,
} from "../../../../src/action/cache/entry.ts";
import { hold } from "../../forecast/holds.ts";

const place = { key: "production", store: "tcp://locks:6388" };

describe("the memory's file", () => {
  test("reads what it writes", () => {
    const holds = [hold(5, { metadata: { job: "web", workflow: "Deploy" } }), hold(6)];
    const text = writeMemory({ ...place, holds });
    expect(text).toMatch(/^\{.*\}\n$/);
    expect(readMemory(text, place.key, place.store)).toEqual(holds);
  });

  test("keeps fifty holds, and of each no more than an estimate and a link need", () => {
    const metadata = { job: "web", actor: "ann", hostname: "runner-3", run_url: "https://x.test" };
    const holds = Array.from({ length: 60 }, () => hold(5, { metadata }));
    const read = readMemory(writeMemory({ ...place, holds }), place.key, place.store);
    expect(read).toHaveLength(50);
    expect(read?.[0]?.metadata).toEqual({ job: "web", run_url: "https://x.test" });
  });

  test.each([
    ["no JSON", "{half"],
    ["nothing", ""],
    ["something else", "[]"],
    ["null", "null"],
    ["another version", JSON.stringify({ version: 2, ...place, holds: [] })],
    ["another key", JSON.stringify({ version: 1, ...place, key: "x", holds: [] })],
    ["another store", JSON.stringify({ version: 1, ...place, store: "x", holds: [] })],
  ])("is not read where it is %s", (_, text) => {
    expect(readMemory(text, place.key, place.store)).toBeNull();
  });
});

describe("the names of entries", () => {
  test("of one key in one store begin alike, and no two are the same", () => {
    const prefix = entryPrefix(place.key, place.store);
    expect(prefix).toMatch(/^holdfast-history-1-[0-9a-f]{24}-$/);
    expect(entryName(prefix, 1, "a")).not.toBe(entryName(prefix, 1, "b"));
    expect(entryName(prefix, 1, "a").startsWith(prefix)).toBe(true);
  });

  test("tell keys and stores apart, also those that run into each other", () => {
    const pairs = [
      ["a", "b"],
      ["b", "a"],
      ["a,b", ""],
      ["", "a,b"],
      ['a","b', ""],
    ] as const;
    expect(new Set(pairs.map(([key, store]) => entryPrefix(key, store))).size).toBe(pairs.length);
  });

  test("have no comma and are short, whatever the key: the service takes no others", () => {
    const name = entryName(entryPrefix("a,b".repeat(60), "tcp://x,y"), Date.now(), "0123");
    expect(name).toMatch(/^[\w-]{1,120}$/);
  });
});
