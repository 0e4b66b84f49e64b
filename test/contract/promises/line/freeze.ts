import { expect, it } from "vitest";
import { KEY, type Scene } from "../../scene/scene.ts";
import type { Worker } from "../../scene/workers.ts";

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const FREEZE = { owner: "admin", reason: "an incident", duration: null };
const SHOWN = { by: "admin", reason: "an incident", until: null };

export function freezeTests(scene: Scene): void {
  const { freezes, breaks, fair } = { ...scene.limits, ...scene.limits.promises };

  it.runIf(freezes)("lets nobody in until it is thawed, and its holder go on", async () => {
    const [holder, waiter, admin] = (await scene.workers(3)) as [Worker, Worker, Worker];
    await scene.claim(holder, "holder");
    const turns = [];
    for (const as of ["first", "second"]) {
      turns.push(scene.claim(waiter, as).then(() => waiter.tell("release", { as })));
      await scene.inLine(turns.length);
    }
    const frozen = await admin.tell("freeze", { key: KEY, options: FREEZE });
    expect(frozen).toEqual({ ...SHOWN, since: expect.stringMatching(INSTANT) });
    // It stays when the one who froze it is gone, and those who wait hear of it.
    await admin.kill();
    const told = await waiter.firstProgress("first", (progress) => progress.frozen != null);
    expect(told.frozen).toEqual(frozen);
    await holder.tell("renew", { as: "holder" });
    expect(await holder.tell("release", { as: "holder" })).toBe("released");
    await expect(scene.claim(holder, "hasty", { timeout: 0 })).rejects.toMatchObject({
      code: "TIMEOUT",
      message: expect.stringMatching(/frozen by admin.*an incident/),
    });
    expect(await holder.tell("inspect", { key: KEY })).toMatchObject({
      holders: [],
      waiting: 2,
      frozen,
    });
    expect(scene.entered()).toEqual(["holder"]);
    expect(await holder.tell("thaw", { key: KEY, owner: "admin" })).toEqual(frozen);
    await Promise.all(turns);
    if (fair) expect(scene.entered()).toEqual(["holder", "first", "second"]);
    expect(await holder.tell("thaw", { key: KEY, owner: "admin" })).toBeNull();
    expect(await holder.tell("inspect", { key: KEY })).toMatchObject({ frozen: null });
  });

  it.runIf(freezes)("ends with its time, which those who wait do not miss", async () => {
    const worker = await scene.worker();
    const options = { ...FREEZE, duration: 6_000 };
    const { until } = await worker.tell("freeze", { key: KEY, options });
    expect(until).toMatch(INSTANT);
    const listed = await worker.tell("list", { all: false });
    expect(listed.map(({ key, frozen }) => [key, frozen?.until])).toEqual([[KEY, until]]);
    const { lease } = await scene.claim(worker, "waiter");
    expect(Date.parse(lease.since)).toBeGreaterThanOrEqual(Date.parse(until ?? ""));
    expect((await worker.tell("inspect", { key: KEY })).frozen).toBeNull();
    expect(await worker.tell("thaw", { key: KEY, owner: "admin" })).toBeNull();
  });

  it.runIf(freezes)(
    "is replaced by a second one, ended by one thaw, and not by a break",
    async () => {
      const worker = await scene.worker();
      await scene.claim(worker, "holder");
      await worker.tell("freeze", { key: KEY, options: FREEZE });
      const options = { owner: "other", reason: "an audit", duration: 3_600_000 };
      const second = await worker.tell("freeze", { key: KEY, options });
      expect(second).toMatchObject({ by: "other", reason: "an audit" });
      if (breaks) await worker.tell("break", { key: KEY, options: FREEZE });
      else await worker.tell("release", { as: "holder" });
      expect(await worker.tell("inspect", { key: KEY })).toMatchObject({
        holders: [],
        frozen: second,
      });
      await expect(scene.claim(worker, "early", { timeout: 0 })).rejects.toMatchObject({
        code: "TIMEOUT",
        message: expect.stringContaining("an audit"),
      });
      expect(await worker.tell("thaw", { key: KEY, owner: "admin" })).toEqual(second);
      await scene.claim(worker, "late", { timeout: 0 });
    },
  );

  it.runIf(freezes)("holds also for the lock of a dead holder, and for every slot", async () => {
    const [killed, heir] = (await scene.mortals(2)) as [Worker, Worker];
    await scene.claim(killed, "killed", { slots: 2 });
    await heir.tell("freeze", { key: KEY, options: FREEZE });
    await killed.kill();
    // Longer than the dead are waited for, where that is a matter of time.
    const timeout = (scene.limits.deadAfter ?? 0) + 1_500;
    const early = scene.claim(heir, "early", { slots: 2, timeout });
    await expect(early).rejects.toMatchObject({ code: "TIMEOUT" });
    await heir.tell("thaw", { key: KEY, owner: "admin" });
    for (const as of ["one", "two"]) await scene.claim(heir, as, { slots: 2 });
    expect(scene.entered()).toEqual(["killed", "one", "two"]);
  });

  it.runIf(freezes)("refuses a bad key, and writes nothing", async () => {
    const store = await scene.open();
    const before = await scene.place.traces();
    const refused = { code: "BAD_KEY" };
    await expect(store.freeze?.("a\nb", FREEZE)).rejects.toMatchObject(refused);
    await expect(store.thaw?.("a\nb", FREEZE)).rejects.toMatchObject(refused);
    expect(await store.thaw?.("unused", FREEZE)).toBeNull();
    expect(await scene.place.traces()).toEqual(before);
  });

  it.runIf(!freezes)("says that it cannot be frozen, and what to use instead", async () => {
    const store = await scene.open();
    const refused = { code: "NOT_SUPPORTED", message: expect.stringMatching(/\buse\b/) };
    if (store.freeze !== undefined)
      await expect(store.freeze(KEY, FREEZE)).rejects.toMatchObject(refused);
    if (store.thaw !== undefined)
      await expect(store.thaw(KEY, FREEZE)).rejects.toMatchObject(refused);
    expect((await store.inspect(KEY)).frozen).toBeNull();
  });
}
