import { expect, it } from "vitest";
import type { Scene } from "../../scene/scene.ts";

export function closingTests(scene: Scene): void {
  it("keeps no process alive after it was closed", async () => {
    const worker = await scene.worker();
    await scene.claim(worker, "holder");
    await expect(scene.claim(worker, "hasty", { timeout: 100 })).rejects.toMatchObject({
      code: "TIMEOUT",
    });
    const next = scene.claim(worker, "next");
    await scene.inLine(1);
    await worker.tell("release", { as: "holder" });
    await next;
    await worker.tell("release", { as: "next" });
    expect(await worker.finish()).toEqual({ code: 0, signal: null });
  });

  it("can be closed without ever having been used, and twice", async () => {
    const store = await scene.open();
    await store.close();
    await store.close();
  });

  it("is opened again and again with the same locks in it", async () => {
    const worker = await scene.worker();
    await scene.claim(worker, "holder");
    for (let times = 0; times < 3; times++) {
      const store = await scene.open();
      const { holders } = await store.inspect("production");
      expect(holders.map(({ owner }) => owner)).toEqual(["holder"]);
      await store.close();
    }
  });
}
