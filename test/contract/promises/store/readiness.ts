import { expect, it } from "vitest";
import { until } from "../../../helpers/waiting.ts";
import { KEY, type Scene } from "../../scene/scene.ts";
import type { Worker } from "../../scene/workers.ts";

const WAIT_MS = 700;

/** Places in line: a claim that is not ready is passed, and keeps its place. */
export function readinessTests(scene: Scene): void {
  const { shares = true, newest, namesWaiters } = scene.limits;

  const refused = (claimed: Promise<unknown>, code: string) =>
    expect(claimed).rejects.toMatchObject({ code });

  it.runIf(shares)("stands in line without the lock, also where that is free", async () => {
    const [early, other] = (await scene.workers(2)) as [Worker, Worker];
    expect(await scene.join(early, "early")).toMatchObject({ holders: [] });
    await scene.inLine(1);
    const status = await other.tell("inspect", { key: KEY });
    expect(status).toMatchObject({ holders: [], waiting: 1 });
    if (namesWaiters)
      expect(status.waiters).toMatchObject([{ owner: "early", position: 1, ready: false }]);
    await scene.claim(other, "hasty", { timeout: 0 });
    await other.tell("release", { as: "hasty" });
    await scene.inLine(1);
    const { lease } = await scene.take(early, "early");
    expect(lease).toMatchObject({ key: KEY, owner: "early", slot: 0 });
    expect(await other.tell("inspect", { key: KEY })).toMatchObject({ waiting: 0 });
    await refused(scene.claim(other, "late", { timeout: 0 }), "TIMEOUT");
    expect(await early.tell("release", { as: "early" })).toBe("released");
    expect(scene.entered()).toEqual(["hasty", "early"]);
  });

  it.runIf(shares)("is passed by claims that are ready, and keeps its place", async () => {
    const [holder, early, late] = (await scene.workers(3)) as [Worker, Worker, Worker];
    await scene.claim(holder, "holder");
    await scene.join(early, "early");
    await scene.inLine(1);
    const passes = scene.claim(late, "passes");
    await scene.inLine(2);
    const later = scene.claim(late, "later");
    await scene.inLine(3);
    await holder.tell("release", { as: "holder" });
    await passes;
    await scene.inLine(2);
    const turn = scene.take(early, "early");
    if (namesWaiters)
      await until(async () => {
        const { waiters } = await holder.tell("inspect", { key: KEY });
        return waiters[0]?.owner === "early" && waiters[0].ready;
      });
    else await scene.inLine(2);
    await late.tell("release", { as: "passes" });
    await turn;
    await early.tell("release", { as: "early" });
    await later;
    expect(scene.entered()).toEqual(["holder", "passes", "early", "later"]);
  });

  it.runIf(shares)("blocks nobody, however heavy or urgent it will be", async () => {
    const [early, other] = (await scene.workers(2)) as [Worker, Worker];
    const heavy = { slots: 2, weight: 2, priority: 9 };
    await scene.join(early, "early", heavy);
    for (const as of ["one", "two"]) await scene.claim(other, as, { slots: 2, timeout: 0 });
    const last = scene.claim(other, "last", { slots: 2 });
    await scene.inLine(2);
    await other.tell("release", { as: "one" });
    await last;
    const turn = scene.take(early, "early", heavy);
    for (const as of ["two", "last"]) await other.tell("release", { as });
    expect((await turn).lease.slots).toEqual([0, 1]);
  });

  it.runIf(shares)("leaves the line when it is told to, also twice", async () => {
    const [early, other] = (await scene.workers(2)) as [Worker, Worker];
    await scene.join(early, "early");
    await scene.inLine(1);
    await early.tell("leave", { as: "early" });
    expect(await other.tell("inspect", { key: KEY })).toMatchObject({ waiting: 0, holders: [] });
    await early.tell("leave", { as: "early" });
    await scene.claim(other, "other", { timeout: 0 });
  });

  it.runIf(shares)("counts the timeout from when the place is taken", async () => {
    const [holder, early] = (await scene.workers(2)) as [Worker, Worker];
    await scene.claim(holder, "holder");
    await scene.join(early, "early");
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
    const start = performance.now();
    await refused(scene.take(early, "early", { timeout: WAIT_MS }), "TIMEOUT");
    // A timer may fire a moment early by another clock.
    expect(performance.now() - start).toBeGreaterThan(WAIT_MS - 10);
    expect(await holder.tell("inspect", { key: KEY })).toMatchObject({ waiting: 0 });
  });

  it.runIf(shares)("takes it now or not at all with timeout 0", async () => {
    const [holder, early] = (await scene.workers(2)) as [Worker, Worker];
    await scene.join(early, "early");
    await scene.take(early, "early", { timeout: 0 });
    await scene.join(holder, "next");
    await refused(scene.take(holder, "next", { timeout: 0 }), "TIMEOUT");
    expect(await holder.tell("inspect", { key: KEY })).toMatchObject({ waiting: 0 });
    await early.tell("release", { as: "early" });
    expect(scene.entered()).toEqual(["early"]);
  });

  it.runIf(shares)("leaves the line when taking it is aborted", async () => {
    const [holder, early] = (await scene.workers(2)) as [Worker, Worker];
    await scene.claim(holder, "holder");
    await scene.join(early, "early");
    const turn = scene.take(early, "early");
    await scene.inLine(1);
    await early.tell("abort", { as: "early" });
    await refused(turn, "ABORTED");
    expect(await holder.tell("inspect", { key: KEY })).toMatchObject({ waiting: 0 });
  });

  it.runIf(shares)("is gone from the line when its process was killed", async () => {
    const [killed, holder, other] = (await scene.mortals(3)) as [Worker, Worker, Worker];
    await scene.join(killed, "killed");
    await scene.inLine(1);
    await killed.kill();
    // Where nothing but silence tells it, those who wait are the ones who notice.
    await scene.claim(holder, "holder");
    const turn = scene.claim(other, "other");
    await scene.inLine(1);
    await holder.tell("release", { as: "holder" });
    await turn;
    expect(scene.entered()).toEqual(["holder", "other"]);
  });

  it.runIf(shares && newest)(
    "is ended by a newer claim where both want to be the newest",
    async () => {
      const [early, other] = (await scene.workers(2)) as [Worker, Worker];
      await scene.claim(other, "holder");
      await scene.join(early, "early", { line: "newest" });
      await scene.inLine(1);
      const newer = scene.claim(other, "newer", { line: "newest" });
      expect(await early.lost("early")).toMatchObject({
        code: "SUPERSEDED",
        superseded: { by: "newer" },
      });
      await refused(scene.take(early, "early", { line: "newest" }), "SUPERSEDED");
      await scene.inLine(1);
      await other.tell("release", { as: "holder" });
      await newer;
    },
  );

  it.runIf(shares && newest)(
    "is ended by a newer claim that takes the free lock past it",
    async () => {
      const [early, other] = (await scene.workers(2)) as [Worker, Worker];
      await scene.join(early, "early", { line: "newest" });
      await scene.join(early, "in order");
      await scene.inLine(2);
      await scene.claim(other, "newer", { line: "newest", timeout: 0 });
      expect(await early.lost("early")).toMatchObject({
        code: "SUPERSEDED",
        superseded: { by: "newer" },
      });
      await scene.inLine(1);
      await other.tell("release", { as: "newer" });
      await scene.take(early, "in order");
    },
  );

  it.runIf(shares)("refuses a bad request, and writes nothing", async () => {
    const store = await scene.open();
    const before = await scene.place.traces();
    await refused(
      store.join?.(scene.request("odd", { weight: 0 })) as Promise<unknown>,
      "BAD_WEIGHT",
    );
    await refused(store.join?.(scene.request("odd", { key: "" })) as Promise<unknown>, "BAD_KEY");
    expect(await scene.place.traces()).toEqual(before);
  });

  it.runIf(!shares)("says that it has no places, and what to use instead", async () => {
    const store = await scene.open();
    if (store.join !== undefined)
      await expect(store.join(scene.request("early"))).rejects.toMatchObject({
        code: "NOT_SUPPORTED",
        message: expect.stringMatching(/\buse\b/),
      });
    expect(await store.inspect(KEY)).toMatchObject({ holders: [], waiting: 0 });
  });
}
