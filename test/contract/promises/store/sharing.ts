import { expect, it } from "vitest";
import { PASSES_LIMIT } from "../../../../src/lock/admission.ts";
import type { ErrorCode } from "../../../../src/lock/errors.ts";
import type { ClaimRequest, FreezeOptions, OneSlot } from "../../../../src/lock/store.ts";
import { type ClaimExtras, KEY, type Scene } from "../../scene/scene.ts";
import type { Worker } from "../../scene/workers.ts";

const FREEZE = { owner: "admin", reason: "a broken screen", duration: null };
const DEVICES = ["pixel", "iphone"];

const BAD_SHARES: [string, ErrorCode, Partial<ClaimRequest>][] = [
  ["a weight of 0", "BAD_WEIGHT", { weight: 0, slots: 2 }],
  ["a weight of 1.5", "BAD_WEIGHT", { weight: 1.5, slots: 2 }],
  ["a weight over the slots", "BAD_WEIGHT", { weight: 3, slots: 2 }],
  ["a priority of 101", "BAD_PRIORITY", { priority: 101 }],
  ["a priority of 0.5", "BAD_PRIORITY", { priority: 0.5 }],
  ["no resource at all", "BAD_RESOURCES", { resources: [] }],
  ["a resource twice", "BAD_RESOURCES", { resources: ["a", "a"] }],
  ["a resource with a comma", "BAD_RESOURCES", { resources: ["a,b"] }],
  ["resources of another number than slots", "BAD_RESOURCES", { resources: ["a", "b"], slots: 3 }],
];

const BEYOND: [string, Partial<ClaimRequest>][] = [
  ["a weight over 1", { weight: 2, slots: 2 }],
  ["a priority", { priority: 1 }],
  ["names of slots", { resources: DEVICES }],
];

/** Weights, priorities and names of slots, by the rule of lock/admission.ts. */
export function sharingTests(scene: Scene): void {
  const { shares = true, freezes, breaks, namesWaiters, rounds = 40 } = scene.limits;
  const { push } = scene.limits.promises;
  const hasSlotFreezes = shares && freezes;

  /** Claims that release as soon as they are granted, joining the line one by one. */
  async function lineUp(worker: Worker, claims: readonly [string, ClaimExtras][]) {
    const before = (await worker.tell("inspect", { key: KEY })).waiting;
    const turns: Promise<unknown>[] = [];
    for (const [as, extras] of claims) {
      const turn = scene.claim(worker, as, extras);
      turns.push(turn.then(() => worker.tell("release", { as })));
      turns.at(-1)?.catch(() => {});
      await scene.inLine(before + turns.length);
    }
    return turns;
  }

  const refused = (claimed: Promise<unknown>, code: ErrorCode = "TIMEOUT") =>
    expect(claimed).rejects.toMatchObject({ code });

  it.runIf(shares)("lets claims in as long as their weights fit", async () => {
    const worker = await scene.worker();
    const three = await scene.claim(worker, "three", { slots: 4, weight: 3 });
    await refused(scene.claim(worker, "two", { slots: 4, weight: 2, timeout: 0 }));
    const one = await scene.claim(worker, "one", { slots: 4, timeout: 0 });
    expect(three.lease).toMatchObject({ slot: 0, slots: [0, 1, 2], resources: null });
    expect(one.lease).toMatchObject({ slot: 3, slots: [3] });
    const { holders } = await worker.tell("inspect", { key: KEY });
    const shown = holders.map(({ owner, weight, slots, slot }) => ({ owner, weight, slots, slot }));
    expect(shown.toSorted((a, b) => a.slot - b.slot)).toEqual([
      { owner: "three", weight: 3, slots: [0, 1, 2], slot: 0 },
      { owner: "one", weight: 1, slots: [3], slot: 3 },
    ]);
    for (const [as, { lease }] of [
      ["three", three],
      ["one", one],
    ] as const) {
      expect(await worker.tell("verify", { lease })).toBe(true);
      expect(await worker.tell("release", { as })).toBe("released");
      expect(await worker.tell("verify", { lease })).toBe(false);
    }
    const all = await scene.claim(worker, "all", { slots: 4, weight: "all", timeout: 0 });
    expect(all.lease.slots).toEqual([0, 1, 2, 3]);
    expect(all.lease.fence).toBeGreaterThan(one.lease.fence as number);
    await refused(scene.claim(worker, "last", { slots: 4, timeout: 0 }));
  });

  it.runIf(shares)("gives a heavy claim the lowest slots that are free", async () => {
    const worker = await scene.worker();
    for (const as of ["a", "b", "c"]) await scene.claim(worker, as, { slots: 4, timeout: 0 });
    await worker.tell("release", { as: "b" });
    const { lease } = await scene.claim(worker, "heavy", { slots: 4, weight: 2, timeout: 0 });
    expect(lease).toMatchObject({ slot: 1, slots: [1, 3] });
    await worker.tell("renew", { as: "heavy" });
    expect(await worker.tell("letGo", { lease })).toBe("released");
    expect((await worker.tell("inspect", { key: KEY })).holders).toHaveLength(2);
  });

  it.runIf(shares)("never exceeds the slots, whatever 4 processes ask for", async () => {
    const workers = await scene.workers(4);
    const done = await Promise.all(
      workers.map((worker, seed) => {
        const name = `w${seed}`;
        return worker.tell("hammer", { name, key: KEY, slots: 3, mixed: true, rounds, seed });
      }),
    );
    expect(done).toEqual(workers.map(() => rounds));
    expect(scene.verdict(3)).toMatchObject({ faults: [], unknown: [], grants: rounds * 4 });
  });

  it.runIf(shares)("lets no light claim past a heavy one that does not fit yet", async () => {
    const [holder, waiter] = (await scene.workers(2)) as [Worker, Worker];
    for (const as of ["one", "two"]) await scene.claim(holder, as, { slots: 2 });
    const turns = await lineUp(waiter, [
      ["heavy", { slots: 2, weight: 2 }],
      ["light", { slots: 2 }],
    ]);
    await holder.tell("release", { as: "one" });
    await refused(scene.claim(holder, "hasty", { slots: 2, timeout: 0 }));
    expect(scene.entered()).toEqual(["one", "two"]);
    await holder.tell("release", { as: "two" });
    await Promise.all(turns);
    expect(scene.entered()).toEqual(["one", "two", "heavy", "light"]);
  });

  it.runIf(shares)("lets no heavy claim past a light one that came before", async () => {
    const [holder, waiter] = (await scene.workers(2)) as [Worker, Worker];
    await scene.claim(holder, "holder", { slots: 2, weight: 2 });
    const light = scene.claim(waiter, "light", { slots: 2 });
    await scene.inLine(1);
    const heavy = scene.claim(waiter, "heavy", { slots: 2, weight: 2 });
    await scene.inLine(2);
    await holder.tell("release", { as: "holder" });
    await light;
    await scene.inLine(1);
    await refused(scene.claim(holder, "hasty", { slots: 2, timeout: 0 }));
    await waiter.tell("release", { as: "light" });
    await heavy;
    expect(scene.entered()).toEqual(["holder", "light", "heavy"]);
  });

  it.runIf(shares)("serves a higher priority first, and takes the lock from nobody", async () => {
    const [holder, waiter] = (await scene.workers(2)) as [Worker, Worker];
    await scene.claim(holder, "holder", { priority: -100 });
    const turns = await lineUp(waiter, [
      ["usual", {}],
      ["urgent", { priority: 5 }],
      ["idle", { priority: -5 }],
      ["urgent too", { priority: 5 }],
    ]);
    const order = ["urgent", "urgent too", "usual", "idle"];
    const { waiters } = await holder.tell("inspect", { key: KEY });
    if (namesWaiters) {
      expect(waiters.map(({ owner }) => owner)).toEqual(order);
      expect(waiters.map(({ position }) => position)).toEqual([1, 2, 3, 4]);
      expect(waiters[0]).toMatchObject({ weight: 1, priority: 5, ready: true });
    }
    await holder.tell("renew", { as: "holder" });
    await holder.tell("release", { as: "holder" });
    await Promise.all(turns);
    expect(scene.entered()).toEqual(["holder", ...order]);
  });

  it.runIf(shares)(`serves at most ${PASSES_LIMIT} later claims before a waiting one`, async () => {
    const [holder, waiter] = (await scene.workers(2)) as [Worker, Worker];
    await scene.claim(holder, "holder");
    const urgent = Array.from({ length: PASSES_LIMIT + 2 }, (_, number) => `urgent ${number}`);
    const turns = await lineUp(waiter, [
      ["patient", { priority: -100 }],
      ...urgent.map((as): [string, ClaimExtras] => [as, { priority: 100 }]),
    ]);
    await holder.tell("release", { as: "holder" });
    await Promise.all(turns);
    expect(scene.entered()).toEqual([
      "holder",
      ...urgent.slice(0, PASSES_LIMIT),
      "patient",
      ...urgent.slice(PASSES_LIMIT),
    ]);
  });

  it.runIf(shares)("judges a newcomer as the last of the line", async () => {
    const [holder, waiter] = (await scene.workers(2)) as [Worker, Worker];
    await scene.claim(holder, "holder", { slots: 3, weight: 2 });
    const turn = scene.claim(waiter, "heavy", { slots: 3, weight: 2 });
    await scene.inLine(1);
    await refused(scene.claim(holder, "equal", { slots: 3, timeout: 0 }));
    await refused(scene.claim(holder, "lower", { slots: 3, priority: -1, timeout: 0 }));
    const higher = { slots: 3, priority: 1, timeout: 0 };
    expect((await scene.claim(holder, "higher", higher)).lease.slot).toBe(2);
    await holder.tell("release", { as: "holder" });
    await turn;
    expect(scene.entered()).toEqual(["holder", "higher", "heavy"]);
  });

  it.runIf(shares)("names what is held, and wants the same names of all", async () => {
    const [holder, other] = (await scene.workers(2)) as [Worker, Worker];
    const first = await scene.claim(holder, "first", { resources: DEVICES });
    expect(first.lease).toMatchObject({ slot: 0, slots: [0], resources: ["pixel"] });
    for (const extras of [
      { resources: ["pixel", "galaxy"] },
      { resources: DEVICES.toReversed() },
      { slots: 2 },
    ])
      await refused(scene.claim(other, "other", extras), "SLOTS_MISMATCH");
    await refused(scene.claim(other, "three", { slots: 3 }), "SLOTS_MISMATCH");
    const second = await scene.claim(other, "second", { resources: DEVICES, slots: 2, timeout: 0 });
    expect(second.lease).toMatchObject({ slot: 1, resources: ["iphone"] });
    const status = await other.tell("inspect", { key: KEY });
    expect(status).toMatchObject({ slots: 2, resources: DEVICES, frozenSlots: [] });
    expect(status.holders.map(({ resources }) => resources?.join()).sort()).toEqual([
      "iphone",
      "pixel",
    ]);
    await holder.tell("release", { as: "first" });
    await other.tell("release", { as: "second" });
    const both = { resources: ["a", "b"], weight: "all", timeout: 0 } as const;
    expect((await scene.claim(other, "both", both)).lease.resources).toEqual(["a", "b"]);
    await other.tell("release", { as: "both" });
    const more = { slots: 4, weight: "all", timeout: 0 } as const;
    expect((await scene.claim(other, "more", more)).lease.slots).toEqual([0, 1, 2, 3]);
  });

  it.runIf(hasSlotFreezes)("does not give out a slot that is frozen alone", async () => {
    const [worker, waiter] = (await scene.workers(2)) as [Worker, Worker];
    const extras = { resources: DEVICES };
    await scene.claim(worker, "user", extras);
    const options: FreezeOptions = { ...FREEZE, resource: "pixel" };
    const frozen = await worker.tell("freeze", { key: KEY, options });
    expect(frozen).toMatchObject({ by: "admin", reason: "a broken screen", until: null });
    const shown = { slot: 0, by: "admin", reason: "a broken screen", until: null };
    // Its holder goes on.
    await worker.tell("renew", { as: "user" });
    await worker.tell("release", { as: "user" });
    const { lease } = await scene.claim(worker, "next", { ...extras, timeout: 0 });
    expect(lease).toMatchObject({ slot: 1, resources: ["iphone"] });
    await expect(scene.claim(worker, "hasty", { ...extras, timeout: 0 })).rejects.toMatchObject({
      code: "TIMEOUT",
    });
    expect(await worker.tell("inspect", { key: KEY })).toMatchObject({
      frozen: null,
      frozenSlots: [shown],
    });
    const turn = scene.claim(waiter, "waiter", extras);
    const told = await waiter.firstProgress("waiter", ({ holders }) => holders.length > 0);
    expect(told.frozenSlots).toMatchObject([{ ...shown, resource: "pixel" }]);
    await scene.inLine(1);
    const thawed = await worker.tell("thaw", { key: KEY, owner: "admin", resource: "pixel" });
    expect(thawed).toEqual(frozen);
    expect((await turn).lease.resources).toEqual(["pixel"]);
    expect(await worker.tell("thaw", { key: KEY, owner: "admin", resource: "pixel" })).toBeNull();
    expect((await worker.tell("inspect", { key: KEY })).frozenSlots).toEqual([]);
  });

  it.runIf(hasSlotFreezes)("keeps a name frozen, wherever the next claims name it", async () => {
    const worker = await scene.worker();
    const only = (resource: string) => ({ key: KEY, options: { ...FREEZE, resource } });
    const thaw = (resource: string) => worker.tell("thaw", { key: KEY, owner: "admin", resource });
    const both = (...resources: string[]) => ({ resources, weight: 2, timeout: 0 });
    await scene.claim(worker, "user", { resources: DEVICES });
    await worker.tell("freeze", only("pixel"));
    await worker.tell("release", { as: "user" });

    const turned = ["galaxy", "iphone", "pixel"];
    const { lease } = await scene.claim(worker, "turned", both(...turned));
    expect(lease.resources).toEqual(["galaxy", "iphone"]);
    await refused(scene.claim(worker, "hasty", { resources: turned, timeout: 0 }));
    await worker.tell("release", { as: "turned" });
    // The file, entry or number of one that is frozen is not taken for another one's.
    await worker.tell("freeze", only("galaxy"));
    await refused(scene.claim(worker, "hasty", both(...turned)));

    // Names that nobody has are frozen until they are there again.
    await scene.claim(worker, "without", both("tablet", "iphone"));
    const { frozenSlots } = await worker.tell("inspect", { key: KEY });
    expect(frozenSlots.map(({ resource }) => resource).sort()).toEqual(["galaxy", "pixel"]);
    expect(await thaw("galaxy")).toMatchObject({ reason: FREEZE.reason });
    await worker.tell("release", { as: "without" });
    await refused(scene.claim(worker, "again", both("pixel", "galaxy")));
    const light = { resources: ["pixel", "galaxy"], timeout: 0 };
    expect((await scene.claim(worker, "light", light)).lease.resources).toEqual(["galaxy"]);
    await worker.tell("release", { as: "light" });
    expect(await thaw("pixel")).toMatchObject({ reason: FREEZE.reason });
    await scene.claim(worker, "all", both("pixel", "galaxy"));
  });

  it.runIf(hasSlotFreezes)("freezes slots of a key that nobody has used yet", async () => {
    const worker = await scene.worker();
    const freeze = (only: OneSlot) =>
      worker.tell("freeze", { key: KEY, options: { ...FREEZE, ...only } });
    for (const only of [{ resource: "pixel" }, { slot: 1 }, { resource: "watch" }, { slot: 3 }])
      expect(await freeze(only)).toMatchObject({ by: "admin", until: null });
    await refused(freeze({ resource: "a,b" }), "BAD_RESOURCES");
    const resources = [...DEVICES, "galaxy", "tablet", "watch", "pad"];
    await refused(scene.claim(worker, "heavy", { resources, weight: 3, timeout: 0 }));
    const first = await scene.claim(worker, "first", { resources, weight: 2, timeout: 0 });
    expect(first.lease).toMatchObject({ slots: [2, 5], resources: ["galaxy", "pad"] });
    const { frozenSlots } = await worker.tell("inspect", { key: KEY });
    expect(frozenSlots.map(({ slot, resource }) => [slot, resource])).toEqual([
      [0, "pixel"],
      [1, "iphone"],
      [3, "tablet"],
      [4, "watch"],
    ]);
    for (const only of [{ resource: "pixel" }, { slot: 3 }, { slot: 1 }])
      expect(await worker.tell("thaw", { key: KEY, owner: "admin", ...only })).not.toBeNull();
    await scene.claim(worker, "others", { resources, weight: 3, timeout: 0 });
  });

  it.runIf(hasSlotFreezes)("keeps a heavy claim out while one of the slots is frozen", async () => {
    const worker = await scene.worker();
    const both = { slots: 2, weight: 2, timeout: 0 };
    await scene.claim(worker, "first", both);
    const freeze = (slot: number) =>
      worker.tell("freeze", { key: KEY, options: { ...FREEZE, slot } });
    const frozen = await freeze(0);
    await freeze(1);
    await worker.tell("release", { as: "first" });
    await refused(scene.claim(worker, "one", { slots: 2, timeout: 0 }));
    await worker.tell("thaw", { key: KEY, owner: "admin", slot: 1 });
    await refused(scene.claim(worker, "both", both));
    expect((await scene.claim(worker, "light", { slots: 2, timeout: 0 })).lease.slot).toBe(1);
    await worker.tell("release", { as: "light" });
    // A bare thaw ends all of them.
    expect(await worker.tell("thaw", { key: KEY, owner: "admin" })).toEqual(frozen);
    await scene.claim(worker, "all", both);
  });

  it.runIf(hasSlotFreezes)("knows no slot that the key has not, and freezes nothing", async () => {
    const worker = await scene.worker();
    await scene.claim(worker, "user", { resources: DEVICES });
    for (const only of [{ slot: 2 }, { resource: "galaxy" }, { slot: -1 }]) {
      const options = { ...FREEZE, ...only };
      await refused(worker.tell("freeze", { key: KEY, options }), "BAD_SLOTS");
    }
    expect(await worker.tell("inspect", { key: KEY })).toMatchObject({
      frozen: null,
      frozenSlots: [],
    });
  });

  it.runIf(shares && breaks)(
    "breaks the holder that has the slot, with all of its slots",
    async () => {
      const worker = await scene.worker();
      await scene.claim(worker, "heavy", { slots: 3, weight: 2 });
      await scene.claim(worker, "light", { slots: 3 });
      const options = { ...FREEZE, slot: 1 };
      const { broken } = await worker.tell("break", { key: KEY, options });
      expect(broken.map(({ owner }) => owner)).toEqual(["heavy"]);
      expect((await worker.lost("heavy")).code).toBe("LOCK_LOST");
      const { holders } = await worker.tell("inspect", { key: KEY });
      expect(holders.map(({ owner }) => owner)).toEqual(["light"]);
      await scene.claim(worker, "heir", { slots: 3, weight: 2, timeout: 0 });
    },
  );

  it.runIf(shares)("frees all slots of a holder that was killed", async () => {
    const [killed, heir] = (await scene.mortals(2)) as [Worker, Worker];
    await scene.claim(killed, "killed", { slots: 3, weight: 2 });
    const turn = scene.claim(heir, "heir", { slots: 3, weight: 3 });
    await scene.inLine(1);
    await killed.kill();
    expect((await turn).lease.slots).toEqual([0, 1, 2]);
  });

  for (const [what, code, extras] of BAD_SHARES) {
    it.runIf(shares)(`refuses ${what}, and writes nothing`, async () => {
      const store = await scene.open();
      const before = await scene.place.traces();
      await refused(store.claim(scene.request("odd", extras)), code);
      expect(await scene.place.traces()).toEqual(before);
    });
  }

  for (const [what, extras] of BEYOND) {
    it.runIf(!shares)(`says that it does not know ${what}, and what to use instead`, async () => {
      const store = await scene.open();
      const before = await scene.place.traces();
      await expect(store.claim(scene.request("odd", extras))).rejects.toMatchObject({
        code: "NOT_SUPPORTED",
        message: expect.stringMatching(/\buse\b/),
      });
      expect(await scene.place.traces()).toEqual(before);
    });
  }

  it.runIf(shares && push)(
    "wakes a heavy claim when the last slot that it needs is free",
    async () => {
      const [holder, waiter] = (await scene.workers(2)) as [Worker, Worker];
      for (const as of ["one", "two", "three"]) await scene.claim(holder, as, { slots: 3 });
      const turn = scene.claim(waiter, "heavy", { slots: 3, weight: 2 });
      await scene.inLine(1);
      await holder.tell("release", { as: "two" });
      await holder.tell("release", { as: "three" });
      expect((await turn).lease.slots).toEqual([1, 2]);
    },
  );
}
