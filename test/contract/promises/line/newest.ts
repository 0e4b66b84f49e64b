import { expect, it } from "vitest";
import { KEY, type Scene } from "../../scene/scene.ts";
import type { Worker } from "../../scene/workers.ts";

const NEWEST = { line: "newest" } as const;

export function newestTests(scene: Scene): void {
  const { newest } = scene.limits;

  it.runIf(newest)("ends older claims that wait, and neither holders nor fifo claims", async () => {
    const [holder, one, other] = (await scene.workers(3)) as [Worker, Worker, Worker];
    await scene.claim(holder, "holder", NEWEST);
    const steady = scene.claim(one, "steady").then(() => one.tell("release", { as: "steady" }));
    await scene.inLine(1);
    const oldest = scene.claim(one, "oldest", NEWEST);
    await scene.inLine(2);
    const older = scene.claim(other, "older", NEWEST);
    await expect(oldest).rejects.toMatchObject({
      name: "LockError",
      code: "SUPERSEDED",
      by: "older",
      url: null,
      message: expect.stringContaining("older"),
    });
    await scene.inLine(2);
    const url = "https://forge.example/runs/813";
    const owner = { id: "ci-813", metadata: { run_url: url } };
    const request = { ...scene.request("newer", NEWEST), owner };
    const turn = one.tell("claim", { request, as: "newer" });
    await expect(older).rejects.toMatchObject({
      code: "SUPERSEDED",
      by: "ci-813",
      url,
      message: expect.stringContaining(url),
    });
    await scene.inLine(2);
    await holder.tell("renew", { as: "holder" });
    expect(await holder.tell("release", { as: "holder" })).toBe("released");
    await steady;
    expect((await turn).lease.owner).toBe("ci-813");
    expect(scene.entered()).toEqual(["holder", "steady", "newer"]);
  });

  it.runIf(newest)("ends nothing for a claim that is fifo, or that does not wait", async () => {
    const [holder, waiter] = (await scene.workers(2)) as [Worker, Worker];
    await scene.claim(holder, "holder");
    const turn = scene.claim(waiter, "newest", NEWEST);
    await scene.inLine(1);
    await expect(scene.claim(holder, "hasty", { ...NEWEST, timeout: 0 })).rejects.toMatchObject({
      code: "TIMEOUT",
    });
    const last = scene.claim(holder, "last");
    await scene.inLine(2);
    await holder.tell("release", { as: "holder" });
    await turn;
    await waiter.tell("release", { as: "newest" });
    await last;
    expect(scene.entered()).toEqual(["holder", "newest", "last"]);
  });

  it.runIf(!newest)("says that it has no such line, and what to use instead", async () => {
    const store = await scene.open();
    const before = await scene.place.traces();
    await expect(store.claim(scene.request("newest", NEWEST))).rejects.toMatchObject({
      code: "NOT_SUPPORTED",
      message: expect.stringMatching(/\buse\b/),
    });
    expect(await scene.place.traces()).toEqual(before);
    expect(await store.inspect(KEY)).toMatchObject({ holders: [], waiting: 0 });
  });
}
