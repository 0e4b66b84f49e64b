import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { historyText } from "../../../../../src/cli/commands/look/history.ts";
import { listText } from "../../../../../src/cli/commands/look/list.ts";
import { statusText } from "../../../../../src/cli/commands/look/status.ts";
import { withEstimate } from "../../../../../src/forecast/status.ts";
import { jsonText } from "../../../../../src/lock/text.ts";
import type { KeyDocument } from "../../../../../src/stores/document/document.ts";
import { Memory } from "../../../../contract/register/memory/register.ts";
import { documentIn, KEY, openOn, request } from "../kit.ts";

const SCREEN = { columns: 79, paint: (text: string) => text };

const RUN = { id: "run-1", forge: { api: "https://f", repository: "o/r", run: "1", attempt: "1" } };
const POOL = { resources: ["one", "two", "three"] };
const BY = { owner: "admin", reason: "it is garbage" };

/** A document that has something in every one of its fields. */
async function wholeDocument(): Promise<KeyDocument> {
  const memory = new Memory();
  const { store } = openOn(memory, { signs: true, push: true });
  for (let hold = 0; hold < 3; hold++)
    await (await store.claim(request(`h${hold}`, POOL))).release();
  await store.claim(request("broken", POOL));
  await store.break(KEY, BY);
  await store.claim(request("of-run", { ...POOL, weight: "all", run: RUN, note: "v1" }));
  await store.claim(request("of-run", { ...POOL, run: RUN }));
  await store.freeze(KEY, { ...BY, duration: 60_000, slot: 2 });
  const place = await store.join(request("early", { ...POOL, weight: 2, priority: -1 }));
  const waits = ["w1", "w2", "w3"].map((id) =>
    store.claim(request(id, { ...POOL, priority: 1, line: "newest" })).catch(() => {}),
  );
  await expect.poll(() => documentIn(memory).superseded.length).toBe(2);
  await store.freeze(KEY, { ...BY, duration: 60_000 });
  await store.thaw(KEY, BY);
  await store.freeze(KEY, { ...BY, duration: 60_000 });
  await store.freeze(KEY, { ...BY, duration: 60_000, slot: 2 });
  const { line, ...document } = documentIn(memory);
  // Nobody was passed here.
  const passed = { ...document, line: line.map((waiter) => ({ ...waiter, passed: 3 })) };
  await place.leave();
  await store.close();
  await Promise.all(waits);
  return passed;
}

type Path = readonly (string | number)[];

/** Every place in a value, the value itself included. */
function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [path];
  const parts = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  return [path, ...parts.flatMap((part) => pathsOf((value as never)[part], [...path, part]))];
}

/** The text of a value with others in some of its places. JSON can say numbers that JavaScript cannot. */
function withOthers(value: unknown, others: readonly [Path, string][]): string {
  const copy = { all: structuredClone(value) };
  const texts = new Map<string, string>();
  for (const [path, text] of others) {
    const places = ["all", ...path];
    let at: unknown = copy;
    for (const part of places.slice(0, -1)) at = (at as never)?.[part];
    if (typeof at !== "object" || at === null) continue;
    const mark = `<${texts.size}>`;
    texts.set(JSON.stringify(mark), text);
    (at as Record<string | number, unknown>)[places.at(-1) as string] = mark;
  }
  let text = JSON.stringify(copy.all);
  for (const [mark, other] of texts) text = text.replace(mark, () => other);
  return text;
}

const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
const strange = fc.oneof(
  fc.constantFrom(
    ...["1e300", "1e999", "-1e999", "9007199254740991", "9007199254740993", "8640000000000001"],
    ...["0", "-1", "-0", "1.5", "5", "null", "true", "[]", "{}", '""', "[null]", "[[[]]]", deep],
    ...['"+275760-09-13T00:00:00.000Z"', '"-271821-04-20T00:00:00.000Z"', '"2026 (never)"'],
    ...['"\\u0000"', '"\\ud800"', '"\\u001b[31m"', '{"__proto__":{"a":1}}', '"production"'],
    ...['{"kind":"beacon","id":"\\u0000"}', '{"kind":"until","at":"+275760-09-13T00:00:00Z"}'],
    ...[JSON.stringify("x".repeat(62_000)), JSON.stringify(Array(6_000).fill("nonce"))],
  ),
  fc.json(),
);

/** Looks, claims and mends with this in the place of the document; nothing may fail but by a LockError. */
async function useAll(text: string): Promise<void> {
  const memory = new Memory();
  memory.swap(KEY, null, text);
  memory.swap("sound", null, JSON.stringify({ ...(await whole), key: "sound" }));
  const { store } = openOn(memory, { signs: true, push: true }, { alive: async () => true });
  const told = async (act: () => Promise<unknown>) => {
    try {
      return await act();
    } catch (error) {
      expect(error).toMatchObject({ code: expect.not.stringMatching(/^INTERNAL$/) });
      return undefined;
    }
  };
  const now = Date.now();
  const input = { store: "memory", storeWasNamed: true };
  const status = await withEstimate(store, await store.inspect(KEY), now);
  jsonText(status) + statusText(status, input, now, SCREEN);
  const all = await store.list({ all: true });
  expect(all.map(({ key }) => key)).toContain("sound");
  listText([status], now, SCREEN);
  await told(async () =>
    historyText(
      { key: KEY, store: "memory", holds: await store.history(KEY, { limit: 50 }) },
      SCREEN,
    ),
  );
  for (const more of [{}, { ...POOL, weight: 2, priority: 1 }, { ...POOL, run: RUN }])
    await told(() => store.claim(request("a", more), { timeout: 0 }));
  await told(async () => (await store.join(request("a", POOL))).leave());
  await told(() => store.freeze(KEY, { ...BY, duration: 60_000, resource: "two" }));
  await told(() => store.freeze(KEY, { ...BY, duration: 60_000 }));
  await told(() => store.thaw(KEY, BY));
  await told(() => store.clean({ ...BY, staleTimeout: 1 }));
  await told(() => store.releaseRun(KEY, RUN));
  await told(() => store.verify({ key: KEY, fence: 5, slot: 0 }));
  // Whatever it was, a break heals it.
  await store.break(KEY, BY);
  await told(() => store.thaw(KEY, BY));
  const { line, fence } = documentIn(memory);
  if (line.length === 0) {
    const holding = await store.claim(request("last"), { timeout: 0 });
    expect(holding.lease.fence).toBeGreaterThan(fence ?? 0);
    expect(holding.lease.fence).toBeGreaterThanOrEqual(now * 1_000);
    expect(holding.lease.fence).toBeLessThan(Number.MAX_SAFE_INTEGER);
    await holding.release();
  }
  await store.close();
}

const whole = wholeDocument();

describe("any text in the place of a document", () => {
  test("with strange values in a real one, nothing ends in an internal error, and a break heals it", async () => {
    const paths = pathsOf(await whole);
    const other = fc.tuple(fc.constantFrom(...paths), strange);
    await fc.assert(
      fc.asyncProperty(fc.array(other, { minLength: 1, maxLength: 3 }), async (others) =>
        useAll(withOthers(await whole, others)),
      ),
      { numRuns: 400 },
    );
  }, 120_000);

  test("each field with each strange value", async () => {
    const values = ["1e300", "1e999", "9007199254740991", "5", "null", "[]", "{}", '""'];
    for (const path of pathsOf(await whole).filter((each) => each.length < 4))
      for (const value of values) await useAll(withOthers(await whole, [[path, value]]));
  }, 400_000);

  test("any text at all", async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string(), fc.json(), strange), (text) => useAll(text)),
      { numRuns: 100 },
    );
  }, 120_000);

  test("unknown fields are carried along, and left out where there would be no room for a change", async () => {
    const { holders, line } = await whole;
    const memory = new Memory();
    const { store } = openOn(memory, { signs: true });
    const fill = async (bytes: number) => {
      const filled = { ...(await whole), holds: [], taken: [], nonces: [] };
      const text = JSON.stringify({ ...filled, invented: "" });
      const { version } = memory.current(KEY);
      const invented = "x".repeat(bytes - text.length);
      memory.swap(KEY, version, JSON.stringify({ ...filled, invented }));
    };
    await fill(50_000);
    await store.thaw(KEY, BY);
    expect(documentIn(memory)).toHaveProperty("invented");
    await fill(65_536);
    await store.freeze(KEY, { ...BY, reason: "r".repeat(900), duration: null });
    expect(documentIn(memory)).not.toHaveProperty("invented");
    expect(documentIn(memory)).toMatchObject({
      freeze: { by: "admin" },
      holders: holders.map(({ id, sharers, slots }) => ({ id, sharers, slots })),
      line: line.map(({ id, newest, ready }) => ({
        id,
        ...(newest === undefined ? {} : { newest }),
        ...(ready === undefined ? {} : { ready }),
      })),
    });
    await store.close();
  });
});
