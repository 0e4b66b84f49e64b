import { expect, it } from "vitest";
import { CAN_STOP, type Scene } from "../../scene/scene.ts";
import type { Worker } from "../../scene/workers.ts";

export function orderTests(scene: Scene): void {
  const { fair } = scene.limits.promises;

  /** Claims that release as soon as they are granted, joining the line one by one. */
  async function lineUp(workers: Worker[], names: string[]): Promise<Promise<unknown>[]> {
    const turns: Promise<unknown>[] = [];
    for (const [index, name] of names.entries()) {
      const worker = workers[index % workers.length] as Worker;
      const turn = scene.claim(worker, name).then(() => worker.tell("release", { as: name }));
      turn.catch(() => {});
      turns.push(turn);
      await scene.inLine(index + 1);
    }
    return turns;
  }

  it.runIf(fair)("serves claims in the order of their arrival", async () => {
    const [holder, ...others] = (await scene.workers(4)) as [Worker, ...Worker[]];
    await scene.claim(holder, "holder");
    const names = ["a", "b", "c", "d", "e", "f"];
    const turns = await lineUp(others, names);
    await holder.tell("release", { as: "holder" });
    await Promise.all(turns);
    expect(scene.entered()).toEqual(["holder", ...names]);
  });

  it("skips waiters that were killed, wherever they stood", async () => {
    const workers = await scene.mortals(5);
    const [holder, first, second, third, fourth] = workers as [
      Worker,
      Worker,
      Worker,
      Worker,
      Worker,
    ];
    await scene.claim(holder, "holder");
    const turns = await lineUp([first, second, third, fourth], ["a", "b", "c", "d"]);
    await first.kill();
    await third.kill();
    await holder.tell("release", { as: "holder" });
    await Promise.all([turns[1], turns[3]]);
    expect(scene.entered()).toEqual(["holder", "b", "d"]);
  });

  it("skips waiters that gave up, wherever they stood", async () => {
    const [holder, others] = (await scene.workers(2)) as [Worker, Worker];
    await scene.claim(holder, "holder");
    const turns = await lineUp([others], ["a", "b", "c", "d"]);
    for (const [as, turn] of [
      ["a", turns[0]],
      ["c", turns[2]],
    ] as const) {
      await others.tell("abort", { as });
      await expect(turn).rejects.toMatchObject({ code: "ABORTED" });
    }
    await holder.tell("release", { as: "holder" });
    await Promise.all([turns[1], turns[3]]);
    expect(scene.entered()).toEqual(["holder", "b", "d"]);
  });

  it.runIf(fair && CAN_STOP)(
    "lets nobody overtake a claim that is slow to take its turn",
    async () => {
      const [holder, slow, hasty] = (await scene.workers(3)) as [Worker, Worker, Worker];
      await scene.claim(holder, "holder");
      const turn = scene.claim(slow, "slow");
      // It reports when it waits for an event. Stopped before that, it could sit in the store's way.
      await slow.firstProgress("slow");
      slow.signal("SIGSTOP");
      await holder.tell("release", { as: "holder" });
      await expect(scene.claim(hasty, "hasty", { timeout: 0 })).rejects.toMatchObject({
        code: "TIMEOUT",
      });
      slow.signal("SIGCONT");
      await turn;
      expect(scene.entered()).toEqual(["holder", "slow"]);
    },
  );
}
