import { describe, expect, test } from "vitest";
import { slotsFrozen } from "../../../../src/forecast/words.ts";
import { PASSES_LIMIT } from "../../../../src/lock/admission.ts";
import { emptyDocument, type KeyDocument } from "../../../../src/stores/document/document.ts";
import { parseDocument, writeDocument } from "../../../../src/stores/document/format.ts";
import { claimantOf, inLine, job, KEY, request, stage } from "./kit.ts";

const { open, memory, document } = stage();
const PUSH = { push: true, signs: true };
const POOL = { resources: ["emulator", "pixel", "tablet"] };

describe("weights", () => {
  test("a claim has as many slots as it asked for, the lowest, with one fence", async () => {
    const { store } = open();
    const light = await store.claim(request("light", { slots: 3 }));
    const heavy = await store.claim(request("heavy", { slots: 3, weight: 2 }));
    expect(heavy.lease).toMatchObject({ slot: 1, slots: [1, 2], resources: null });
    const { holders } = await store.inspect(KEY);
    expect(holders).toMatchObject([
      { owner: "light", weight: 1, slots: [0] },
      { owner: "heavy", weight: 2, slots: [1, 2], fence: heavy.lease.fence },
    ]);
    await expect(store.claim(request("more", { slots: 3 }), { timeout: 0 })).rejects.toMatchObject({
      code: "TIMEOUT",
      message: expect.stringContaining("held by"),
    });
    await light.release();
    await heavy.release();
    const all = await store.claim(request("all", { slots: 3, weight: "all" }), { timeout: 0 });
    expect(all.lease.slots).toEqual([0, 1, 2]);
  });

  test.each([PUSH, {}])(
    "nobody passes a heavy claim that waits, however light (%o)",
    async (register) => {
      const [one, two, three] = [open(register), open(register), open(register)];
      const first = await one.store.claim(request("first", { slots: 2 }));
      const heavy = two.store.claim(request("heavy", { slots: 2, weight: 2 }));
      await inLine(one, 1);
      const light = three.store.claim(request("light", { slots: 2 }));
      await inLine(one, 2);
      await expect(
        one.store.claim(request("hasty", { slots: 2 }), { timeout: 0 }),
      ).rejects.toMatchObject({ code: "TIMEOUT" });
      await first.release();
      const { lease, release } = await heavy.then((held) => ({
        lease: held.lease,
        release: () => held.release(),
      }));
      await release();
      expect((await light).lease.fence).toBeGreaterThan(lease.fence ?? 0);
    },
  );

  test("the break of one slot breaks the holder that has it, whole", async () => {
    const { store } = open();
    await store.claim(request("light", { slots: 3 }));
    await store.claim(request("heavy", { slots: 3, weight: 2 }));
    const by = { reason: "test", owner: "admin" };
    const { broken } = await store.break(KEY, { ...by, slot: 2 });
    expect(broken).toMatchObject([{ owner: "heavy", slots: [1, 2] }]);
    expect(document().holders.map(({ owner }) => owner)).toEqual(["light"]);
  });
});

describe("priorities", () => {
  test("a higher one is served first, is told its place, and is counted by those that it passes", async () => {
    const one = open(PUSH);
    const first = await one.store.claim(request("first"));
    const low = one.store.claim(request("low"));
    await inLine(one, 1);
    const high = one.store.claim(request("high", { priority: 5 }));
    await inLine(one, 2);
    expect((await one.store.inspect(KEY)).waiters).toMatchObject([
      { owner: "high", position: 1, priority: 5, weight: 1, ready: true },
      { owner: "low", position: 2, priority: 0 },
    ]);
    await first.release();
    const held = await high;
    expect(document().line).toMatchObject([{ owner: "low", passed: 1 }]);
    await held.release();
    await (await low).release();
  });

  test("after so many that passed it a claim goes first", async () => {
    const one = open(PUSH);
    let held = await one.store.claim(request("first"));
    const low = one.store.claim(request("low"));
    await inLine(one, 1);
    let isServed = false;
    void low.then(() => {
      isServed = true;
    });
    for (let times = 0; times < PASSES_LIMIT; times++) {
      const high = one.store.claim(request(`high-${times}`, { priority: 100 }));
      await inLine(one, 2);
      await held.release();
      held = await high;
      expect(isServed).toBe(false);
    }
    const late = one.store.claim(request("late", { priority: 100 }));
    await inLine(one, 2);
    await held.release();
    await (await low).release();
    await (await late).release();
  });
});

describe("names and frozen slots", () => {
  test("a slot that is frozen by its name is not given out; its holder goes on", async () => {
    const one = open();
    const held = await one.store.claim(request("a", POOL));
    expect(held.lease).toMatchObject({ slot: 0, resources: ["emulator"] });
    const by = { reason: "screen is broken", owner: "ann" };
    await one.store.freeze(KEY, { ...by, duration: null, resource: "pixel" });
    await one.store.freeze(KEY, { ...by, duration: null, slot: 0 });
    const status = await one.store.inspect(KEY);
    expect(status).toMatchObject({
      resources: POOL.resources,
      frozen: null,
      frozenSlots: [{ slot: 0 }, { slot: 1, by: "ann", reason: "screen is broken", until: null }],
      holders: [{ owner: "a", resources: ["emulator"] }],
    });
    const other = await one.store.claim(request("b", POOL), { timeout: 0 });
    expect(other.lease).toMatchObject({ slot: 2, resources: ["tablet"] });
    await held.release();
    await expect(one.store.claim(request("c", POOL), { timeout: 0 })).rejects.toMatchObject({
      code: "TIMEOUT",
      message: expect.stringMatching(/emulator is frozen by ann.*pixel is frozen/),
    });
    const waits: (string | null)[] = [];
    const waiting = one.store.claim(request("d", POOL), {
      onProgress: (progress) => waits.push(slotsFrozen(progress)),
    });
    await expect.poll(() => waits.at(-1)).toMatch(/pixel is frozen by ann/);
    expect(await one.store.thaw(KEY, { owner: "ann", slot: 1 })).toMatchObject({ by: "ann" });
    expect((await waiting).lease.resources).toEqual(["pixel"]);
    expect(await one.store.thaw(KEY, { owner: "ann", slot: 1 })).toBeNull();
    expect(await one.store.thaw(KEY, { owner: "ann" })).toMatchObject({ by: "ann" });
    expect((await one.store.inspect(KEY)).frozenSlots).toEqual([]);
  });

  test("a freeze of a slot that is not there is refused, and names those that are", async () => {
    const { store } = open();
    await (await store.claim(request("a", POOL))).release();
    const options = { reason: "r", owner: "ann", duration: null };
    for (const only of [{ slot: 3 }, { resource: "phone" }])
      await expect(store.freeze(KEY, { ...options, ...only })).rejects.toMatchObject({
        code: "BAD_SLOTS",
        message: expect.stringContaining("emulator, pixel, tablet"),
      });
  });

  test("a frozen name stays frozen where it gets another number", async () => {
    const { store } = open();
    await (await store.claim(request("a", POOL))).release();
    await store.freeze(KEY, { reason: "r", owner: "ann", duration: null, resource: "tablet" });
    const turned = { resources: ["tablet", "emulator"] };
    const held = await store.claim(request("b", turned), { timeout: 0 });
    expect(held.lease.resources).toEqual(["emulator"]);
    expect((await store.inspect(KEY)).frozenSlots).toMatchObject([{ slot: 0 }]);
  });

  test("the history has every slot and name that was held", async () => {
    const { store } = open();
    await (await store.claim(request("a", { ...POOL, weight: 2 }))).release();
    await (await store.claim(request("b", { slots: 2 }))).release();
    const [plain, named] = await store.history(KEY, { limit: 2 });
    expect(named).toMatchObject({ slot: 0, slots: [0, 1] });
    expect(named?.resources).toEqual(POOL.resources.slice(0, 2));
    expect(Object.keys(plain ?? {})).not.toContain("resources");
  });

  test.each([true, false])(
    "a freeze with an end ends by itself (a clock of all: %s)",
    async (clock) => {
      const one = open({ ...PUSH, clock });
      await one.store.freeze(KEY, { reason: "r", owner: "ann", duration: 300, slot: 0 });
      const held = await one.store.claim(request("b"));
      expect(held.lease.slot).toBe(0);
      expect(document().frozenSlots).toEqual([]);
    },
  );

  test("claims that name the slots otherwise are refused while anybody holds", async () => {
    const { store } = open();
    await store.claim(request("a", POOL));
    const other = { resources: ["emulator", "pixel", "phone"] };
    await expect(store.claim(request("b", other))).rejects.toMatchObject({
      code: "SLOTS_MISMATCH",
      message: expect.stringContaining("emulator, pixel, tablet"),
    });
    await expect(store.claim(request("b", { slots: 3 }), { timeout: 0 })).rejects.toMatchObject({
      code: "SLOTS_MISMATCH",
    });
  });
});

describe.each([PUSH, {}])("a place in line that is not ready (%o)", (register) => {
  test("is passed, keeps its place, and is taken when it is", async () => {
    const one = open(register);
    const place = await one.store.join(request("early"));
    expect((await one.store.inspect(KEY)).waiters).toMatchObject([
      { owner: "early", ready: false },
    ]);
    const held = await one.store.claim(request("b"), { timeout: 0 });
    const late = one.store.claim(request("late"));
    await inLine(one, 2);
    const taken = place.take();
    await expect.poll(() => document().line[0]?.ready).toBeUndefined();
    await held.release();
    const mine = await taken;
    expect(mine.lease.owner).toBe("early");
    await mine.release();
    await (await late).release();
  });

  test("takes a free lock in one swap, and with a timeout of 0 at once or not at all", async () => {
    const one = open(register);
    const place = await one.store.join(request("early"));
    const before = memory().states.get(KEY)?.length ?? 0;
    const held = await place.take({ timeout: 0 });
    expect(memory().states.get(KEY)).toHaveLength(before + 1);
    const other = await one.store.join(request("other"));
    await expect(other.take({ timeout: 0 })).rejects.toMatchObject({ code: "TIMEOUT" });
    expect(document().line).toEqual([]);
    const third = await one.store.join(request("third"));
    await third.leave();
    expect(document().line).toEqual([]);
    await held.release();
  });

  test("is not taken where the store is away, and says so where it is now or not at all", async () => {
    const one = open(register);
    const place = await one.store.join(request("early"));
    one.register.faults.away = () => true;
    await expect(place.take({ timeout: 0 })).rejects.toMatchObject({ code: "STORE_UNREACHABLE" });
    delete one.register.faults.away;
    await expect.poll(() => document().line).toEqual([]);
  });

  test("is ended by a newer claim of its kind", async () => {
    const one = open(register);
    await one.store.claim(request("a"));
    const place = await one.store.join(request("old", { line: "newest" }));
    const newer = await one.store.join(request("new", { line: "newest" }));
    await expect.poll(() => place.lost.aborted).toBe(true);
    expect(place.lost.reason).toMatchObject({ code: "SUPERSEDED" });
    await newer.leave();
  });

  test("of a process that is gone is in nobody's way", async () => {
    const [one, gone] = [open(register), open(register)];
    const place = await gone.store.join(request("gone", { priority: 100 }));
    gone.register.faults.away = () => true;
    memory().sessions.clear();
    for (const id of ["a", "b", "c"])
      await (await one.store.claim(request(id), { timeout: 0 })).release();
    delete gone.register.faults.away;
    await place.leave();
  });
});

describe("a full line of jobs that are over", () => {
  const full = () => {
    const line = ["a", "b"].map((id) => ({
      ...claimantOf(id, { life: job(id) }),
      joined: new Date(0).toISOString(),
    }));
    const text = JSON.stringify({ ...emptyDocument(KEY), nonce: "n", turn: "n", line });
    memory().swap(KEY, null, text);
  };

  test("has a place at once for one that is not ready, where the forge tells of them", async () => {
    full();
    const timing = { lineLimit: 2, grace: 600_000 };
    const one = open({}, { alive: async () => false, timing });
    const place = await one.store.join(request("c"));
    await expect.poll(() => document().line.map(({ owner }) => owner)).toEqual(["c"]);
    await place.leave();
  });

  test("and after one patience where nobody does", async () => {
    full();
    const one = open({}, { timing: { lineLimit: 2 } });
    const place = await one.store.join(request("c"));
    expect(place.progress.trouble).toMatch(/its line is full/);
    await expect.poll(() => document().line.map(({ owner }) => owner)).toEqual(["c"]);
    await place.leave();
  });
});

describe("a document", () => {
  test("is of the first version as long as it says nothing that one cannot understand", async () => {
    const { store } = open();
    await (await store.claim(request("a", { slots: 2 }))).release();
    expect(document().v).toBe(1);
    const held = await store.claim(request("b", { slots: 2, weight: 2 }));
    expect(document().v).toBe(2);
    await held.release();
    expect(document().v).toBe(1);
    const place = await store.join(request("c"));
    expect(document().v).toBe(2);
    await place.leave();
    expect(document().v).toBe(1);
  });

  const whole = (): KeyDocument => JSON.parse(memory().current(KEY).text as string);

  test.each([
    ["a weight beyond the slots", { weight: 4 }],
    ["a weight of 0", { weight: 0 }],
    ["a priority beyond the bounds", { priority: 1e9 }],
    ["a readiness that is none", { ready: "yes" }],
  ])("with %s of a claim in line is not taken for a sound one", async (_, wrong) => {
    const { store } = open();
    await store.claim(request("a", { slots: 3 }));
    const place = await store.join(request("b", { slots: 3 }));
    const sound = whole();
    await place.leave();
    const line = sound.line.map((each) => ({ ...each, ...wrong }));
    expect(() => parseDocument(JSON.stringify({ ...sound, line }), KEY)).toThrow("cannot be read");
  });

  test.each([[[]], [[1, 0]], [[0, 0]], [[1, 2]], [[0, 1e9]], ["0"]])(
    "with the slots %j of a holder is not taken for a sound one",
    async (slots) => {
      const { store } = open();
      await store.claim(request("a", { slots: 3 }));
      const holders = whole().holders.map((each) => ({ ...each, slots }));
      expect(() => parseDocument(JSON.stringify({ ...whole(), holders }), KEY)).toThrow(
        "cannot be read",
      );
    },
  );

  test("of which strangers say that two hold one slot gives out no more for it", async () => {
    const { store } = open();
    await store.claim(request("a", { slots: 2 }));
    const [holder] = whole().holders;
    const twice = { ...whole(), holders: [holder, { ...holder, id: "x", fence: 1 }] };
    memory().swap(KEY, memory().current(KEY).version, JSON.stringify(twice));
    await expect(store.claim(request("b", { slots: 2 }), { timeout: 0 })).rejects.toMatchObject({
      code: "TIMEOUT",
    });
  });

  test("with all of it comes back as it was written", () => {
    const freeze = { by: "a", reason: "r", since: "2026-11-18T00:00:00.000Z", until: null };
    const made = { ...emptyDocument(KEY), slots: 2, resources: ["x", "y"], v: 2 as const };
    const full: KeyDocument = { ...made, frozenSlots: [{ slot: 1, ...freeze }] };
    expect(parseDocument(writeDocument(full)?.text ?? "", KEY)).toEqual(full);
  });
});
