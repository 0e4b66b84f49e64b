import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import type { Scene } from "../../scene/scene.ts";
import type { Worker } from "../../scene/workers.ts";

const LOOK_MS = 5;
const ROUNDS = 40;

export function exclusionTests(scene: Scene): void {
  const { rounds = ROUNDS } = scene.limits;

  it("keeps a second process out while the first one holds", async () => {
    const [first, second] = (await scene.workers(2)) as [Worker, Worker];
    await scene.claim(first, "first");
    await expect(scene.claim(second, "second", { timeout: 0 })).rejects.toMatchObject({
      code: "TIMEOUT",
    });
    await first.tell("release", { as: "first" });
    const { lease } = await scene.claim(second, "second", { timeout: 0 });
    expect(lease.owner).toBe("second");
  });

  it("keeps a second claim of the same process out", async () => {
    const worker = await scene.worker();
    await scene.claim(worker, "first");
    await expect(scene.claim(worker, "second", { timeout: 0 })).rejects.toMatchObject({
      code: "TIMEOUT",
    });
    const third = scene.claim(worker, "third");
    await scene.inLine(1);
    await worker.tell("release", { as: "first" });
    expect((await third).lease.owner).toBe("third");
  });

  it("lets two keys be held at once", async () => {
    const [first, second] = (await scene.workers(2)) as [Worker, Worker];
    await scene.claim(first, "first", { key: "staging" });
    const { lease } = await scene.claim(second, "second", { key: "production", timeout: 0 });
    expect(lease.key).toBe("production");
  });

  it("lets as many in as there are slots, each in a slot of its own", async () => {
    const [first, second, third] = (await scene.workers(3)) as [Worker, Worker, Worker];
    const one = await scene.claim(first, "first", { slots: 2 });
    const two = await scene.claim(second, "second", { slots: 2, timeout: 0 });
    expect([one.lease.slot, two.lease.slot].sort()).toEqual([0, 1]);
    await expect(scene.claim(third, "third", { slots: 2, timeout: 0 })).rejects.toMatchObject({
      code: "TIMEOUT",
    });
    await second.tell("release", { as: "second" });
    const three = await scene.claim(third, "third", { slots: 2, timeout: 0 });
    expect(three.lease.slot).toBe(two.lease.slot);
  });

  for (const slots of [1, 2]) {
    it(`never lets more than ${slots} in, however hard 6 processes try`, async () => {
      const workers = await scene.workers(6);
      const done = await Promise.all(
        workers.map((worker, seed) =>
          worker.tell("hammer", { name: `w${seed}`, key: "hammered", slots, rounds, seed }),
        ),
      );
      expect(done).toEqual(workers.map(() => rounds));
      const grants = rounds * workers.length;
      expect(scene.verdict(slots)).toMatchObject({ faults: [], unknown: [], grants });
    });
  }

  it("never lets two in while processes are killed with kill -9, and goes on without them", async () => {
    const victims = 3;
    const workers = await scene.mortals(6);
    const hammered = workers.map((worker, seed) => {
      const name = `w${seed}`;
      // A victim never finishes by itself.
      const count = seed < victims ? 1_000_000 : rounds;
      const task = { name, key: "hammered", slots: 1, rounds: count, seed, ...scene.deadAfter };
      return worker.tell("hammer", task);
    });
    for (const work of hammered) work.catch(() => {});
    for (let victim = 0; victim < victims; victim++) {
      const name = `w${victim}`;
      while (scene.entered().filter((who) => who === name).length < 5 * (victim + 1)) {
        await delay(LOOK_MS * Math.random());
      }
      await scene.kill(workers[victim] as Worker, name);
    }
    expect(await Promise.all(hammered.slice(victims))).toEqual([rounds, rounds, rounds]);
    expect(scene.verdict()).toMatchObject({ faults: [], unknown: [] });
  });
}
