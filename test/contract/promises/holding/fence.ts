import { expect, it } from "vitest";
import { KEY, type Scene } from "../../scene/scene.ts";
import type { Worker } from "../../scene/workers.ts";

export function fenceTests(scene: Scene): void {
  const { promises, breaks } = scene.limits;

  it.runIf(!promises.fenced)("is null where the store gives none", async () => {
    const { lease } = await scene.claim(await scene.worker(), "holder");
    expect(lease.fence).toBeNull();
  });

  it.runIf(promises.fenced)("grows with every grant, whichever process gets it", async () => {
    const [first, second] = (await scene.workers(2)) as [Worker, Worker];
    const fences: number[] = [];
    for (const [index, worker] of [first, second, second, first, second].entries()) {
      const as = `holder-${index}`;
      const { lease } = await scene.claim(worker, as);
      fences.push(lease.fence as number);
      await worker.tell("release", { as });
    }
    expect(fences.every(Number.isSafeInteger)).toBe(true);
    expect(fences).toEqual([...new Set(fences)].sort((a, b) => a - b));
  });

  it.runIf(promises.fenced)("grows when the holder was killed", async () => {
    const [first, second] = (await scene.mortals(2)) as [Worker, Worker];
    const killed = await scene.claim(first, "killed");
    const heir = scene.claim(second, "heir");
    await first.kill();
    expect((await heir).lease.fence).toBeGreaterThan(killed.lease.fence as number);
  });

  it.runIf(promises.fenced && breaks)("grows when the lock was broken", async () => {
    const [first, second] = (await scene.workers(2)) as [Worker, Worker];
    const robbed = await scene.claim(first, "robbed");
    await second.tell("break", { key: KEY, options: { reason: "a test", owner: "tester" } });
    const next = await scene.claim(second, "next");
    expect(next.lease.fence).toBeGreaterThan(robbed.lease.fence as number);
  });

  it.runIf(promises.fenced)("differs between slots", async () => {
    const worker = await scene.worker();
    const one = await scene.claim(worker, "one", { slots: 2 });
    const two = await scene.claim(worker, "two", { slots: 2 });
    expect(two.lease.fence).toBeGreaterThan(one.lease.fence as number);
  });

  it.runIf(promises.fenced)("is shown by inspect and list as the holder knows it", async () => {
    const worker = await scene.worker();
    const { lease } = await scene.claim(worker, "holder");
    const store = await scene.open();
    expect((await store.inspect(KEY)).holders[0]?.fence).toBe(lease.fence);
    expect((await store.list())[0]?.holders[0]?.fence).toBe(lease.fence);
  });
}
