import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Register, RegisterTraits } from "../../../src/stores/document/register.ts";
import { beaconTests } from "./beacons.ts";

/** A fresh engine, empty, for one test. */
export interface RegisterPlace {
  /** A register of its own connection, as another process would have it. */
  open(): Promise<Register>;
  /** Where the engine can be made to: the answer of the next swap gets lost. */
  loseNext?(how: "stands" | "never"): void;
  /** Where the engine can be made to: reads that are not strong lag behind from now on. */
  lag?(states: number): void;
  cleanup(): Promise<void>;
}

export interface RegisterFactory {
  readonly traits: Pick<RegisterTraits, "push">;
  readonly beacons: boolean;
  /** Its beacons are judged as they are watched: that one was put out is seen a little later. */
  readonly watched?: boolean;
  /** Documents are kept for so many contenders, each so many times. Slow engines take fewer. */
  readonly contention?: { readonly registers: number; readonly rounds: number };
  readonly loses?: boolean;
  readonly lags?: boolean;
  create(): Promise<RegisterPlace>;
}

const KEY = "production";
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
/** Far above what a watch takes, far below the pause that is asked for. */
const SOON_MS = 20_000;
const LONG_MS = 60_000;
const PAUSE_MS = 200;
/** A timer may fire a moment early by another clock, and a poll late on a busy machine. */
const EARLY_MS = 20;
const LATE_MS = 20_000;
const DOCUMENT_BYTES = 64 * 1024;

/** What the document protocol asks of every register (src/stores/document/register.ts). */
export function registerSuite(name: string, factory: RegisterFactory): void {
  describe(`${name} keeps the contract of a register`, () => {
    const scene = new RegisterScene(factory);
    beforeEach(() => scene.begin());
    afterEach(() => scene.end());
    describe("read and swap", () => swapTests(scene, factory));
    describe("changed", () => changedTests(scene, factory));
    describe("keys and documents", () => documentTests(scene));
    describe("beacons", () => beaconTests(scene, factory));
  });
}

class RegisterScene {
  readonly #factory: RegisterFactory;
  #place: RegisterPlace | null = null;
  #registers: Register[] = [];

  constructor(factory: RegisterFactory) {
    this.#factory = factory;
  }

  async begin(): Promise<void> {
    this.#place = await this.#factory.create();
  }

  async end(): Promise<void> {
    for (const register of this.#registers.splice(0)) await register.close();
    await this.place.cleanup();
  }

  get place(): RegisterPlace {
    if (this.#place === null) throw new Error("the scene has not begun");
    return this.#place;
  }

  async open(): Promise<Register> {
    const register = await this.place.open();
    this.#registers.push(register);
    return register;
  }
}

async function put(register: Register, key: string, text: string): Promise<string> {
  const { version } = await register.read(key, { strong: true });
  const swap = await register.swap(key, version, text);
  if (swap.outcome !== "done") throw new Error(`the swap of ${key} is ${swap.outcome}`);
  return swap.version;
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

function changedTests(scene: RegisterScene, { traits, beacons }: RegisterFactory): void {
  it("declares whether it is woken or polls", async () => {
    expect((await scene.open()).traits.push).toBe(traits.push);
  });

  it.runIf(traits.push)("wakes when somebody else changes the document", async () => {
    const [one, other] = [await scene.open(), await scene.open()];
    const version = await put(one, KEY, '{"n":1}');
    const woken = one.changed(KEY, version, { pause: LONG_MS });
    const began = performance.now();
    await put(other, KEY, '{"n":2}');
    await woken;
    expect(performance.now() - began).toBeLessThan(SOON_MS);
  });

  it.runIf(traits.push && beacons)("wakes a claim by the swap that names its beacon", async () => {
    const [one, other] = [await scene.open(), await scene.open()];
    await one.beacons?.light("mine", LONG_MS);
    const version = await put(one, KEY, '{"n":1}');
    const woken = one.changed(KEY, version, { pause: LONG_MS, beacon: "mine" });
    // What concerns others may wake it or not; then it waits for what comes next.
    const second = await other.swap(KEY, version, '{"n":2}', { wakes: ["another"] });
    if (second.outcome !== "done") throw new Error(`the swap is ${second.outcome}`);
    const began = performance.now();
    await other.swap(KEY, second.version, '{"n":3}', { wakes: ["another", "mine"] });
    await woken;
    expect(performance.now() - began).toBeLessThan(SOON_MS);
  });

  it.runIf(traits.push)(
    "wakes at once where the document has already left the version",
    async () => {
      const register = await scene.open();
      await put(register, KEY, '{"n":1}');
      const began = performance.now();
      await register.changed(KEY, null, { pause: LONG_MS });
      expect(performance.now() - began).toBeLessThan(SOON_MS);
    },
  );

  it("waits for the pause, and no longer, where nothing changes", async () => {
    const register = await scene.open();
    const version = await put(register, KEY, '{"n":1}');
    const began = performance.now();
    await register.changed(KEY, version, { pause: PAUSE_MS });
    const took = performance.now() - began;
    expect(took).toBeGreaterThan(PAUSE_MS - EARLY_MS);
    expect(took).toBeLessThan(LATE_MS);
  });

  it("ends when its signal fires", async () => {
    const register = await scene.open();
    const version = await put(register, KEY, '{"n":1}');
    const controller = new AbortController();
    const reason = new Error("enough");
    setTimeout(() => controller.abort(reason), PAUSE_MS);
    const waiting = register.changed(KEY, version, { pause: LONG_MS, signal: controller.signal });
    const began = performance.now();
    await expect(waiting).rejects.toBe(reason);
    expect(performance.now() - began).toBeLessThan(SOON_MS);
  });
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
