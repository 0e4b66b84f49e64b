import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import { KEY, type Scene } from "../../scene/scene.ts";
import type { Worker } from "../../scene/workers.ts";

const RUN = { id: "forge.example/acme/shop/runs/456/attempts/1", forge: null };
/** Of a forge that cannot be asked here: then only the ttl ends it. */
const ASKED = {
  id: "forge.example/acme/shop/runs/457/attempts/1",
  forge: { api: "http://127.0.0.1:9", repository: "acme/shop", run: "457", attempt: "1" },
};
const HOUR = 3_600_000;

export function runTests(scene: Scene): void {
  const { runs, freezes, shares = true } = scene.limits;

  it.runIf(runs)(
    "outlives its process, is shared by its run alone, and ends by release",
    async () => {
      const [first, second, other] = (await scene.workers(3)) as [Worker, Worker, Worker];
      const { lease } = await scene.claim(first, "job-1", { run: RUN, ttl: HOUR });
      // Its process closes the store and ends: no keeper stays behind.
      expect(await first.finish()).toEqual({ code: 0, signal: null });
      const { holders } = await other.tell("inspect", { key: KEY });
      expect(holders).toMatchObject([
        { owner: "job-1", fence: lease.fence, reclaimable: null, run: { id: RUN.id } },
      ]);
      const bound = Date.parse(holders[0]?.run?.until ?? "") - Date.parse(lease.since);
      expect(Math.abs(bound - HOUR)).toBeLessThan(2_000);

      const shared = await scene.claim(second, "job-2", { run: RUN, timeout: 0 });
      expect(shared.lease).toMatchObject({ owner: "job-2", fence: lease.fence, slot: lease.slot });
      expect(shared.lease.token).not.toBe(lease.token);
      expect(await other.tell("verify", { lease: shared.lease })).toBe(true);
      await second.kill();

      const another = { ...RUN, id: `${RUN.id}0` };
      await expect(
        scene.claim(other, "stranger", { run: another, timeout: 0 }),
      ).rejects.toMatchObject({ code: "TIMEOUT", message: expect.stringContaining("job-1") });
      const turn = scene.claim(other, "next");
      const { holders: seen } = await other.firstProgress("next");
      expect(seen.map(({ owner, run }) => [owner, run?.id])).toEqual([["job-1", RUN.id]]);
      expect(await other.tell("verify", { lease })).toBe(true);

      expect(await other.tell("releaseRun", { key: KEY, run: another })).toEqual({
        heldBy: "job-1",
      });
      expect(await other.tell("releaseRun", { key: KEY, run: RUN })).toBe("released");
      expect((await turn).lease.fence).toBeGreaterThan(lease.fence ?? 0);
      expect(await other.tell("letGo", { lease: shared.lease })).toBe("already-gone");
      expect(await other.tell("releaseRun", { key: KEY, run: RUN })).toEqual({ heldBy: "next" });
      await other.tell("release", { as: "next" });
      expect(await other.tell("releaseRun", { key: KEY, run: RUN })).toBe("already-gone");
    },
  );

  it.runIf(runs)("is shared by claims that wait when their run comes to hold it", async () => {
    const [holder, one, other] = (await scene.workers(3)) as [Worker, Worker, Worker];
    await scene.claim(holder, "holder");
    const turns = [];
    for (const [as, worker, extras] of [
      ["job-1", one, { run: RUN }],
      ["stranger", holder, {}],
      ["job-2", other, { run: RUN }],
    ] as const) {
      turns.push(scene.claim(worker, as, extras));
      await scene.inLine(turns.length);
    }
    await holder.tell("release", { as: "holder" });
    const [first, shared] = await Promise.all([turns[0], turns[2]]);
    expect(shared?.lease.fence).toBe(first?.lease.fence);
    await scene.inLine(1);
    // Any lease of the run lets go, also from elsewhere.
    const { lease } = shared as NonNullable<typeof shared>;
    expect(await holder.tell("letGo", { lease })).toBe("released");
    expect((await turns[1])?.lease.owner).toBe("stranger");
  });

  it.runIf(runs)("ends with its ttl by the clock, also for a claim that comes then", async () => {
    const [holder, other] = (await scene.workers(2)) as [Worker, Worker];
    const ttl = 3_000;
    const { lease } = await scene.claim(holder, "job-1", { run: ASKED, ttl });
    const turn = scene.claim(other, "waits");
    const waiting = await turn;
    const end = Date.parse(lease.since) + ttl;
    // The server's own clock may round.
    expect(Date.parse(waiting.lease.since)).toBeGreaterThan(end - 100);
    await other.tell("release", { as: "waits" });
    await scene.claim(holder, "job-2", { run: ASKED, ttl });
    await holder.kill();
    await delay(ttl + 500);
    // Less than the ttl: who counted it from its own first look would not get it.
    const late = await scene.claim(other, "late", { timeout: ttl - 500 });
    expect(late.lease.owner).toBe("late");
  });

  it.runIf(runs && shares)(
    "is not shared by a claim that asks for more than its run has",
    async () => {
      const worker = await scene.worker();
      const slots = { slots: 2, run: RUN };
      const { lease } = await scene.claim(worker, "job-1", { ...slots, weight: 1 });
      await expect(scene.claim(worker, "job-2", { ...slots, weight: 2 })).rejects.toMatchObject({
        code: "BAD_WEIGHT",
        message: expect.stringContaining("with weight 1"),
      });
      const third = await scene.claim(worker, "job-3", { ...slots, weight: 1, timeout: 0 });
      expect(third.lease.fence).toBe(lease.fence);
      expect(await worker.tell("releaseRun", { key: KEY, run: RUN })).toBe("released");
      await scene.claim(worker, "job-4", { ...slots, weight: 2 });
      const fifth = await scene.claim(worker, "job-5", { ...slots, weight: 1, timeout: 0 });
      expect(fifth.lease.slots).toEqual([0, 1]);
      expect(await worker.tell("releaseRun", { key: KEY, run: RUN })).toBe("released");
    },
  );

  it.runIf(runs && freezes)("is shared also while the key is frozen", async () => {
    const worker = await scene.worker();
    const { lease } = await scene.claim(worker, "job-1", { run: RUN });
    const options = { owner: "admin", reason: "an incident", duration: null };
    await worker.tell("freeze", { key: KEY, options });
    const shared = await scene.claim(worker, "job-2", { run: RUN, timeout: 0 });
    expect(shared.lease.fence).toBe(lease.fence);
    expect(await worker.tell("releaseRun", { key: KEY, run: RUN })).toBe("released");
    await expect(scene.claim(worker, "job-3", { run: RUN, timeout: 0 })).rejects.toMatchObject({
      code: "TIMEOUT",
      message: expect.stringContaining("frozen"),
    });
  });

  it.runIf(!runs)("says that it knows no runs, and what to use instead", async () => {
    const store = await scene.open();
    const before = await scene.place.traces();
    const refused = { code: "NOT_SUPPORTED", message: expect.stringMatching(/\buse\b/) };
    await expect(store.claim(scene.request("job-1", { run: RUN }))).rejects.toMatchObject(refused);
    if (store.releaseRun !== undefined)
      await expect(store.releaseRun(KEY, RUN)).rejects.toMatchObject(refused);
    expect(await scene.place.traces()).toEqual(before);
  });
}
