import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Register } from "../../../src/stores/engines/register.ts";
import { changedTests } from "./changed.ts";
import { KEY, put, type RegisterFactory, RegisterScene } from "./scene.ts";
import { sessionTests } from "./sessions.ts";

const ODD_KEYS = [
  "../x",
  "a/b",
  "a%2Fb",
  ".",
  "..",
  ".hidden",
  "a b",
  "Ä",
  "ä",
  "x.lock",
  "x@{1}",
  "~^:?*[\\",
  "🔒".repeat(50),
  `${"🔒".repeat(49)}🔓`,
  "x".repeat(200),
];
const DOCUMENT_BYTES = 64 * 1024;

/** What the document protocol asks of every register (src/stores/engines/register.ts). */
export function registerSuite(name: string, factory: RegisterFactory): void {
  describe(`${name} keeps the contract of a register`, () => {
    const scene = new RegisterScene(factory);
    beforeEach(() => scene.begin());
    afterEach(() => scene.end());
    describe("read and swap", () => swapTests(scene, factory));
    describe("changed", () => changedTests(scene, factory));
    describe("keys and documents", () => documentTests(scene));
    describe("sessions", () => sessionTests(scene, factory));
  });
}

function swapTests(scene: RegisterScene, { contention, loses, lags }: RegisterFactory): void {
  it("has nothing at first, and then what was put there", async () => {
    const [one, other] = [await scene.open(), await scene.open()];
    expect(await one.read(KEY)).toEqual({ version: null, text: null });
    const version = await put(one, KEY, '{"n":1}');
    expect(await other.read(KEY, { strong: true })).toEqual({ version, text: '{"n":1}' });
  });

  it("puts nothing in the place of what has changed", async () => {
    const [one, other] = [await scene.open(), await scene.open()];
    const first = await put(one, KEY, '{"n":1}');
    const second = await put(other, KEY, '{"n":2}');
    expect(second).not.toBe(first);
    for (const stale of [null, first]) {
      expect(await one.swap(KEY, stale, '{"n":3}')).toEqual({ outcome: "conflict" });
    }
    expect(await one.read(KEY, { strong: true })).toEqual({ version: second, text: '{"n":2}' });
  });

  it("lets one of many create a key, and one of many change it", async () => {
    const registers = await Promise.all(Array.from({ length: 4 }, () => scene.open()));
    let version: string | null = null;
    for (let round = 0; round < 3; round++) {
      const swaps = await Promise.all(
        registers.map((each, index) => each.swap(KEY, version, JSON.stringify({ round, index }))),
      );
      const done = swaps.flatMap((swap) => (swap.outcome === "done" ? [swap.version] : []));
      expect(done).toHaveLength(1);
      version = done[0] as string;
    }
  });

  it("loses no update, however hard all try", async () => {
    const { registers = 4, rounds = 25 } = contention ?? {};
    const opened = await Promise.all(Array.from({ length: registers }, () => scene.open()));
    await Promise.all(opened.map((register, index) => count(register, index, rounds)));
    const { text } = await (opened[0] as Register).read(KEY, { strong: true });
    const { counts } = JSON.parse(text as string) as { counts: number[] };
    expect(counts).toEqual(opened.map(() => rounds));
  });

  it.runIf(loses)(
    "says of a lost answer that it is not known, whether it stands or not",
    async () => {
      const register = await scene.open();
      const version = await put(register, KEY, '{"n":1}');
      scene.place.loseNext?.("never");
      expect((await register.swap(KEY, version, '{"n":2}')).outcome).toBe("unknown");
      expect((await register.read(KEY, { strong: true })).text).toBe('{"n":1}');
      scene.place.loseNext?.("stands");
      expect((await register.swap(KEY, version, '{"n":3}')).outcome).toBe("unknown");
      expect((await register.read(KEY, { strong: true })).text).toBe('{"n":3}');
    },
  );

  it.runIf(lags)("is right when asked strongly, also while reads lag", async () => {
    const register = await scene.open();
    await put(register, KEY, '{"n":1}');
    scene.place.lag?.(1);
    const version = await put(register, KEY, '{"n":2}');
    expect((await register.read(KEY)).text).toBe('{"n":1}');
    expect(await register.read(KEY, { strong: true })).toEqual({ version, text: '{"n":2}' });
  });

  it("ends a call with its signal's reason", async () => {
    const register = await scene.open();
    const reason = new Error("enough");
    await expect(register.read(KEY, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
}

/** Adds 1 to its own figure, so many times, by nothing but reads and swaps. */
async function count(register: Register, index: number, rounds: number): Promise<void> {
  for (let done = 0; done < rounds; ) {
    const { version, text } = await register.read(KEY, { strong: true });
    const counts = text === null ? [] : (JSON.parse(text) as { counts: number[] }).counts;
    counts[index] = (counts[index] ?? 0) + 1;
    const next = JSON.stringify({
      counts: Array.from(counts, (each) => each ?? 0),
      by: index,
      done,
    });
    const swap = await register.swap(KEY, version, next);
    if (swap.outcome === "done") done++;
    else await delay(Math.random() * register.traits.backoff[0]);
  }
}

function documentTests(scene: RegisterScene): void {
  it("keeps any key apart from every other, and tells them all", async () => {
    const [one, other] = [await scene.open(), await scene.open()];
    expect(await one.keys()).toEqual([]);
    for (const key of ODD_KEYS) await put(one, key, JSON.stringify({ key }));
    expect((await other.keys()).sort()).toEqual([...ODD_KEYS].sort());
    for (const key of ODD_KEYS) {
      expect((await other.read(key, { strong: true })).text).toBe(JSON.stringify({ key }));
    }
  });

  it("carries a document of 64 KiB, to the last byte", async () => {
    const [one, other] = [await scene.open(), await scene.open()];
    const frame = JSON.stringify({ text: "" }).length;
    const half = (DOCUMENT_BYTES - frame) / 2;
    // Bytes that are not characters, and characters that are escaped in JSON.
    const text = JSON.stringify({ text: "é".repeat(Math.floor(half / 2)) + '"'.repeat(half / 4) });
    const filled = text.replace(/"}$/, `${"x".repeat(DOCUMENT_BYTES - Buffer.byteLength(text))}"}`);
    expect(Buffer.byteLength(filled)).toBe(DOCUMENT_BYTES);
    await put(one, KEY, filled);
    expect((await other.read(KEY, { strong: true })).text).toBe(filled);
  });

  it("can be closed without ever having been used, and twice", async () => {
    const register = await scene.open();
    await register.close();
    await register.close();
  });
}
