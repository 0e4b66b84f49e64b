import { expect, it } from "vitest";
import { PLAIN_WAITER } from "../../../../src/lock/status.ts";
import { KEY, type Scene } from "../../scene/scene.ts";
import type { Worker } from "../../scene/workers.ts";

/** Far above a hand-off on a busy machine, far below the mean of a poll each second. */
const WOKEN_MS = 250;
const HANDOFFS = 9;

export function waitingTests(scene: Scene): void {
  const { promises, namesWaiters, knowsLives = true } = scene.limits;

  it.runIf(promises.push)("wakes the next in line by an event, not by a poll", async () => {
    const [first, second] = (await scene.workers(2)) as [Worker, Worker];
    const handoffs: number[] = [];
    await scene.claim(first, "turn-0");
    for (let turn = 1; turn <= HANDOFFS; turn++) {
      const [from, to] = turn % 2 === 1 ? [first, second] : [second, first];
      const next = scene.claim(to, `turn-${turn}`);
      await scene.inLine(1);
      const start = performance.now();
      await from.tell("release", { as: `turn-${turn - 1}` });
      await next;
      handoffs.push(performance.now() - start);
    }
    const median = handoffs.sort((a, b) => a - b)[Math.floor(HANDOFFS / 2)];
    expect(median).toBeLessThan(WOKEN_MS);
  });

  it("leaves the line before an aborted claim settles", async () => {
    const [holder, waiter] = (await scene.workers(2)) as [Worker, Worker];
    await scene.claim(holder, "holder");
    const turn = scene.claim(waiter, "waiter");
    await scene.inLine(1);
    await waiter.tell("abort", { as: "waiter" });
    await expect(turn).rejects.toMatchObject({ code: "ABORTED" });
    expect(await waiter.tell("inspect", { key: KEY })).toMatchObject({ waiting: 0, waiters: [] });
  });

  it("refuses a claim whose signal has already fired", async () => {
    const store = await scene.open();
    const signal = AbortSignal.abort();
    await expect(store.claim(scene.request("late"), { signal })).rejects.toMatchObject({
      code: "ABORTED",
    });
    expect(await store.inspect(KEY)).toMatchObject({ holders: [], waiting: 0 });
  });

  it("does not mind a signal that fires after the lock was granted", async () => {
    const worker = await scene.worker();
    await scene.claim(worker, "holder");
    await worker.tell("abort", { as: "holder" });
    await worker.tell("renew", { as: "holder" });
    expect(await worker.tell("release", { as: "holder" })).toBe("released");
  });

  it("gives up after the timeout, not before, and leaves the line", async () => {
    const [holder, waiter] = (await scene.workers(2)) as [Worker, Worker];
    await scene.claim(holder, "holder");
    const start = performance.now();
    await expect(scene.claim(waiter, "waiter", { timeout: 700 })).rejects.toMatchObject({
      code: "TIMEOUT",
      message: expect.stringContaining("holder"),
    });
    // A timer may fire a moment early by another clock.
    expect(performance.now() - start).toBeGreaterThan(690);
    expect(await waiter.tell("inspect", { key: KEY })).toMatchObject({ waiting: 0, waiters: [] });
  });

  it("calls a timeout by its name, however short it is", async () => {
    const store = await scene.open();
    const holding = await store.claim(scene.request("holder"));
    for (const timeout of [1, 0.01, 0.000_1]) {
      await expect(store.claim(scene.request("hasty"), { timeout })).rejects.toMatchObject({
        code: "TIMEOUT",
      });
    }
    await holding.release();
  });

  it("does not stand in line with timeout 0", async () => {
    const [holder, hasty] = (await scene.workers(2)) as [Worker, Worker];
    await scene.claim(holder, "holder");
    await expect(scene.claim(hasty, "hasty", { timeout: 0 })).rejects.toMatchObject({
      code: "TIMEOUT",
    });
    expect(hasty.progress.size).toBe(0);
    expect(await hasty.tell("inspect", { key: KEY })).toMatchObject({ waiting: 0, waiters: [] });
  });

  it("tells a waiting claim its place and who holds the lock", async () => {
    const [holder, waiter] = (await scene.workers(2)) as [Worker, Worker];
    await scene.claim(holder, "holder");
    scene.claim(waiter, "first");
    await scene.inLine(1);
    scene.claim(waiter, "second");
    await scene.inLine(2);
    const progress = await waiter.firstProgress("second");
    expect(progress).toMatchObject({ position: 2, waiting: 2 });
    expect(progress.holders.map(({ owner }) => owner)).toEqual(["holder"]);
  });

  it.runIf(namesWaiters)("names the waiters, in order", async () => {
    const [holder, waiter] = (await scene.workers(2)) as [Worker, Worker];
    await scene.claim(holder, "holder");
    for (const [index, as] of ["first", "second", "third"].entries()) {
      scene.claim(waiter, as, { note: `note of ${as}` });
      await scene.inLine(index + 1);
    }
    const { waiters } = await holder.tell("inspect", { key: KEY });
    expect(waiters).toEqual(
      ["first", "second", "third"].map((owner, index) => ({
        owner,
        since: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        position: index + 1,
        ...PLAIN_WAITER,
        alive: knowsLives ? true : null,
        note: `note of ${owner}`,
        metadata: {},
      })),
    );
  });

  it("tells how long a claim waited", async () => {
    const [holder, waiter] = (await scene.workers(2)) as [Worker, Worker];
    const { lease } = await scene.claim(holder, "holder");
    expect(lease.waited).toBeGreaterThanOrEqual(0);
    const turn = scene.claim(waiter, "waiter");
    await scene.inLine(1);
    const joined = performance.now();
    await new Promise((resolve) => setTimeout(resolve, 200));
    const least = performance.now() - joined;
    await holder.tell("release", { as: "holder" });
    expect((await turn).lease.waited).toBeGreaterThanOrEqual(Math.floor(least) - 1);
  });
}
