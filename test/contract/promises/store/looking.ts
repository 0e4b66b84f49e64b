import { expect, it } from "vitest";
import { KEY, type Scene } from "../../scene/scene.ts";
import type { Worker } from "../../scene/workers.ts";

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

export function lookingTests(scene: Scene): void {
  const { promises, remembersKeys, tellsTtl, knowsLives = true } = scene.limits;

  it("declares what it promises", async () => {
    expect((await scene.open()).promises).toEqual(promises);
  });

  it("names itself by a URL that leads back to it", async () => {
    const store = await scene.open();
    const worker = await scene.worker();
    const { lease } = await scene.claim(worker, "holder");
    expect(lease.store).toBe(store.url);
    expect((await store.inspect(KEY)).store).toBe(store.url);
  });

  it("names the key that a text means, as its status and its leases do, and refuses a bad one", async () => {
    const store = await scene.open();
    expect(store.keyOf(KEY)).toBe(KEY);
    expect((await store.inspect(KEY)).key).toBe(store.keyOf(KEY));
    expect(() => store.keyOf("a\nb")).toThrow(expect.objectContaining({ code: "BAD_KEY" }));
    expect(() => store.keyOf("")).toThrow(expect.objectContaining({ code: "BAD_KEY" }));
  });

  it("shows a key that nobody uses as free, without making it", async () => {
    const store = await scene.open();
    expect(await store.inspect("unused")).toEqual({
      key: "unused",
      store: store.url,
      slots: 1,
      resources: null,
      holders: [],
      waiting: 0,
      waiters: [],
      frozen: null,
      frozenSlots: [],
    });
    expect(await store.list({ all: true })).toEqual([]);
  });

  it("gives a lease with all that its holder needs", async () => {
    const worker = await scene.worker();
    const { lease } = await scene.claim(worker, "holder", { ttl: 90_000 });
    expect(lease).toEqual({
      key: KEY,
      store: (await scene.open()).url,
      owner: "holder",
      fence: promises.fenced ? expect.any(Number) : null,
      slot: 0,
      slots: [0],
      resources: null,
      since: expect.stringMatching(INSTANT),
      ttl: 90,
      waited: expect.any(Number),
      token: expect.stringMatching(/^\S+$/),
    });
  });

  it("shows who holds a key, and never the token", async () => {
    const worker = await scene.worker();
    const owner = { id: "ci-github-456-1-deploy", metadata: { run_id: "456", job: "deploy" } };
    const request = { key: KEY, owner, ttl: 90_000, note: "v1.2.3" };
    const { lease } = await worker.tell("claim", { request, as: "holder" });
    const store = await scene.open();
    const status = await store.inspect(KEY);
    expect(status).toMatchObject({ key: KEY, slots: 1, waiting: 0, waiters: [] });
    expect(status.holders).toHaveLength(1);
    expect(status.holders[0]).toMatchObject({
      owner: owner.id,
      since: lease.since,
      ttl: tellsTtl ? 90 : expect.any(Number),
      fence: lease.fence,
      slot: 0,
      alive: knowsLives ? true : null,
      note: "v1.2.3",
      metadata: owner.metadata,
    });
    expect(JSON.stringify(await store.list({ all: true }))).not.toContain(lease.token);
  });

  it.runIf(knowsLives)("counts the waiters, and forgets the killed ones", async () => {
    const [holder, waiter] = (await scene.workers(2)) as [Worker, Worker];
    await scene.claim(holder, "holder");
    scene.claim(waiter, "waiter");
    await scene.inLine(1);
    await waiter.kill();
    await scene.inLine(0);
    await holder.kill();
    const store = await scene.open();
    const alive = async () =>
      (await store.inspect(KEY)).holders.filter((found) => found.alive !== false);
    if (scene.limits.deadAfter === undefined) expect(await alive()).toEqual([]);
    else await expect.poll(alive, { timeout: 60_000 }).toEqual([]);
  });

  it("lists keys that are held or waited for, and only on request those that are free", async () => {
    const worker = await scene.worker();
    for (const key of ["free", "held", "contended"]) {
      await scene.claim(worker, key, { key });
    }
    await worker.tell("release", { as: "free" });
    scene.claim(worker, "waiter", { key: "contended" });
    await scene.inLine(1, "contended");
    const store = await scene.open();
    const listed = await store.list();
    expect(listed.map(({ key, waiting }) => [key, waiting]).sort()).toEqual([
      ["contended", 1],
      ["held", 0],
    ]);
    expect(listed.find(({ key }) => key === "held")).toEqual(await store.inspect("held"));
    const all = (await store.list({ all: true })).map(({ key }) => key).sort();
    expect(all).toEqual(remembersKeys ? ["contended", "free", "held"] : ["contended", "held"]);
  });

  it("shows each slot's holder", async () => {
    const worker = await scene.worker();
    for (const as of ["one", "two"]) await scene.claim(worker, as, { slots: 3 });
    const { slots, holders } = await (await scene.open()).inspect(KEY);
    expect(slots).toBe(3);
    expect(holders.map(({ owner, slot }) => [owner, slot])).toEqual([
      ["one", 0],
      ["two", 1],
    ]);
  });
}
