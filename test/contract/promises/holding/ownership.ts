import { expect, it } from "vitest";
import { KEY, type Scene } from "../../scene/scene.ts";
import type { Worker } from "../../scene/workers.ts";

const BREAK = { key: KEY, options: { reason: "a test", owner: "tester" } };

export function ownershipTests(scene: Scene): void {
  const { promises, breaks } = scene.limits;

  it("releases once, and says of the second time that it is already gone", async () => {
    const worker = await scene.worker();
    await scene.claim(worker, "holder");
    expect(await worker.tell("release", { as: "holder" })).toBe("released");
    expect(await worker.tell("release", { as: "holder" })).toBe("already-gone");
  });

  it("leaves the next holder alone when the one before it releases twice", async () => {
    const [first, second] = (await scene.workers(2)) as [Worker, Worker];
    await scene.claim(first, "first");
    await first.tell("release", { as: "first" });
    await scene.claim(second, "second");
    expect(await first.tell("release", { as: "first" })).toBe("already-gone");
    const { holders } = await second.tell("inspect", { key: KEY });
    expect(holders.map((holder) => holder.owner)).toEqual(["second"]);
  });

  it.runIf(breaks)(
    "says of a broken lock that it is already gone, to the next one's peace",
    async () => {
      const [robbed, next] = (await scene.workers(2)) as [Worker, Worker];
      await scene.claim(robbed, "robbed");
      await next.tell("break", BREAK);
      await scene.claim(next, "next");
      expect(await robbed.tell("release", { as: "robbed" })).toBe("already-gone");
      const { holders } = await next.tell("inspect", { key: KEY });
      expect(holders.map((holder) => holder.owner)).toEqual(["next"]);
      await next.tell("renew", { as: "next" });
    },
  );

  it("renews what is held", async () => {
    const worker = await scene.worker();
    await scene.claim(worker, "holder");
    await worker.tell("renew", { as: "holder" });
    await worker.tell("renew", { as: "holder" });
    expect(await worker.tell("release", { as: "holder" })).toBe("released");
  });

  it("does not renew what was released", async () => {
    const worker = await scene.worker();
    await scene.claim(worker, "holder");
    await worker.tell("release", { as: "holder" });
    await expect(worker.tell("renew", { as: "holder" })).rejects.toMatchObject({
      code: "LOCK_LOST",
    });
  });

  it.runIf(breaks)("does not renew what was broken", async () => {
    const [robbed, next] = (await scene.workers(2)) as [Worker, Worker];
    await scene.claim(robbed, "robbed");
    await next.tell("break", BREAK);
    await scene.claim(next, "next");
    await expect(robbed.tell("renew", { as: "robbed" })).rejects.toMatchObject({
      code: "LOCK_LOST",
    });
    const { holders } = await next.tell("inspect", { key: KEY });
    expect(holders.map((holder) => holder.owner)).toEqual(["next"]);
  });

  it.runIf(promises.fenced)(
    "verifies a lease for as long as it is held, to any process",
    async () => {
      const [first, second] = (await scene.workers(2)) as [Worker, Worker];
      const { lease } = await scene.claim(first, "first");
      expect(await second.tell("verify", { lease })).toBe(true);
      await first.tell("release", { as: "first" });
      expect(await second.tell("verify", { lease })).toBe(false);
      const successor = await scene.claim(second, "second");
      expect(await first.tell("verify", { lease })).toBe(false);
      expect(await first.tell("verify", { lease: successor.lease })).toBe(true);
    },
  );

  it("lets another process release with the lease, once", async () => {
    const [holder, other] = (await scene.workers(2)) as [Worker, Worker];
    const { lease } = await scene.claim(holder, "holder");
    expect(await other.tell("letGo", { lease })).toBe("released");
    expect(await other.tell("letGo", { lease })).toBe("already-gone");
    await scene.claim(other, "next", { timeout: 0 });
    expect(await other.tell("letGo", { lease })).toBe("already-gone");
    expect(await holder.tell("release", { as: "holder" })).toBe("already-gone");
    const { holders } = await holder.tell("inspect", { key: KEY });
    expect(holders.map(({ owner }) => owner)).toEqual(["next"]);
  });

  it("does not release for a token that is not the holder's", async () => {
    const [holder, other] = (await scene.workers(2)) as [Worker, Worker];
    const { lease } = await scene.claim(holder, "holder");
    const token = "0".repeat(lease.token.length);
    expect(await other.tell("letGo", { lease: { ...lease, token } })).toBe("already-gone");
    await holder.tell("renew", { as: "holder" });
    expect(await holder.tell("release", { as: "holder" })).toBe("released");
  });

  it.runIf(breaks)(
    "breaks nothing where nobody holds, and tells whom it broke otherwise",
    async () => {
      const [holder, breaker] = (await scene.workers(2)) as [Worker, Worker];
      expect(await breaker.tell("break", BREAK)).toEqual({ broken: [] });
      await scene.claim(holder, "holder");
      const { broken } = await breaker.tell("break", BREAK);
      expect(broken.map(({ owner, slot }) => ({ owner, slot }))).toEqual([
        { owner: "holder", slot: 0 },
      ]);
      expect((await breaker.tell("inspect", { key: KEY })).holders).toEqual([]);
    },
  );

  it.runIf(breaks)("breaks one slot alone where that is asked for", async () => {
    const [holder, breaker] = (await scene.workers(2)) as [Worker, Worker];
    const one = await scene.claim(holder, "one", { slots: 2 });
    await scene.claim(holder, "two", { slots: 2 });
    const options = { ...BREAK.options, slot: one.lease.slot };
    const { broken } = await breaker.tell("break", { key: KEY, options });
    expect(broken.map((found) => found.owner)).toEqual(["one"]);
    const { holders } = await breaker.tell("inspect", { key: KEY });
    expect(holders.map((found) => found.owner)).toEqual(["two"]);
  });
}
