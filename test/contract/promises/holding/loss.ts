import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";
import { CAN_STOP, KEY, type Scene } from "../../scene/scene.ts";
import type { Worker } from "../../scene/workers.ts";

const BREAK = { key: KEY, options: { reason: "a test", owner: "tester" } };
/** A killed holder fires no event; who waits looks for it often enough. */
const LOOK_MS = 10_000;

export function lossTests(scene: Scene): void {
  const { promises, breaks, covers, expires, deadAfter = 0 } = scene.limits;
  const soon = LOOK_MS + deadAfter;

  it.runIf(breaks)("tells a holder whose lock was broken, and why", async () => {
    const [robbed, breaker] = (await scene.workers(2)) as [Worker, Worker];
    await scene.claim(robbed, "robbed");
    const lost = robbed.lost("robbed");
    await breaker.tell("break", BREAK);
    const failure = await lost;
    expect(failure.code).toBe("LOCK_LOST");
    expect(failure.message).toContain(KEY);
  });

  it("does not call a release a loss", async () => {
    const [first, second] = (await scene.workers(2)) as [Worker, Worker];
    await scene.claim(first, "first");
    await first.tell("release", { as: "first" });
    await scene.claim(second, "second");
    await second.tell("release", { as: "second" });
    expect((await first.finish()).code).toBe(0);
    expect(scene.events().filter(({ event }) => event === "lost")).toEqual([]);
  });

  it("gives the lock of a killed holder to the next in line", async () => {
    const [holder, heir] = (await scene.mortals(2)) as [Worker, Worker];
    await scene.claim(holder, "killed");
    const turn = scene.claim(heir, "heir");
    await scene.inLine(1);
    await holder.kill();
    const start = performance.now();
    expect((await turn).lease.owner).toBe("heir");
    expect(performance.now() - start).toBeLessThan(soon);
  });

  it("gives the lock of a killed holder to one who comes later", async () => {
    const [holder, heir] = (await scene.mortals(2)) as [Worker, Worker];
    await scene.claim(holder, "killed");
    await holder.kill();
    const { lease } = await scene.claim(heir, "heir", { timeout: soon });
    expect(lease.owner).toBe("heir");
  });

  it.runIf(promises.scope === "machine" && CAN_STOP)("does not rob a stopped holder", async () => {
    const [stopped, other] = (await scene.workers(2)) as [Worker, Worker];
    await scene.claim(stopped, "stopped", { deadAfter: 1_000 });
    stopped.signal("SIGSTOP");
    await expect(scene.claim(other, "other", { timeout: 3_000 })).rejects.toMatchObject({
      code: "TIMEOUT",
    });
    stopped.signal("SIGCONT");
    expect(await stopped.tell("release", { as: "stopped" })).toBe("released");
  });

  it.runIf(expires)("tells a holder that may not refresh when its ttl is over", async () => {
    const worker = await scene.worker();
    await scene.claim(worker, "bounded", { ttl: 1_000, refresh: false });
    expect((await worker.lost("bounded")).code).toBe("LOCK_LOST");
  });

  it.runIf(expires)("tells it before anybody else gets its lock", async () => {
    const [bounded, heir] = (await scene.workers(2)) as [Worker, Worker];
    await scene.claim(bounded, "bounded", { ttl: 6_000, refresh: false });
    await scene.claim(heir, "heir");
    const events = scene
      .events()
      .filter(({ event }) => event === "granted" || event === "lost")
      .map(({ event, process }) => `${event} ${process}`);
    expect(events).toEqual(["granted bounded", "lost bounded", "granted heir"]);
  });

  it.runIf(expires)("keeps a lock beyond its ttl as long as the holder refreshes", async () => {
    const [holder, other] = (await scene.workers(2)) as [Worker, Worker];
    await scene.claim(holder, "holder", { ttl: 3_000 });
    await expect(scene.claim(other, "other", { timeout: 7_000 })).rejects.toMatchObject({
      code: "TIMEOUT",
    });
    expect(await holder.tell("release", { as: "holder" })).toBe("released");
  });

  it.runIf(expires && CAN_STOP)(
    "takes the lock of a stopped holder after its ttl, and tells it later",
    async () => {
      const [stopped, heir] = (await scene.workers(2)) as [Worker, Worker];
      await scene.claim(stopped, "stopped", { ttl: 2_000 });
      const turn = scene.claim(heir, "heir");
      await scene.inLine(1);
      stopped.signal("SIGSTOP");
      expect((await turn).lease.owner).toBe("heir");
      const lost = stopped.lost("stopped");
      stopped.signal("SIGCONT");
      expect((await lost).code).toBe("LOCK_LOST");
      expect(await stopped.tell("release", { as: "stopped" })).toBe("already-gone");
      await heir.tell("renew", { as: "heir" });
    },
  );

  it.runIf(covers)("keeps a covered lock until the covered process ends as well", async () => {
    const [holder, heir] = (await scene.workers(2)) as [Worker, Worker];
    const command = spawn(process.execPath, ["-e", "process.stdin.resume()"], {
      stdio: ["pipe", "ignore", "ignore"],
    });
    try {
      await once(command, "spawn");
      await scene.claim(holder, "killed");
      expect(await holder.tell("cover", { as: "killed", pid: command.pid ?? 0 })).toBe(true);
      await holder.kill();
      await expect(scene.claim(heir, "early", { timeout: 1_500 })).rejects.toMatchObject({
        code: "TIMEOUT",
      });
      command.kill("SIGKILL");
      const { lease } = await scene.claim(heir, "late", { timeout: soon });
      expect(lease.owner).toBe("late");
    } finally {
      command.kill("SIGKILL");
    }
  });

  it.runIf(!covers)("says that it cannot cover another process", async () => {
    const worker = await scene.worker();
    await scene.claim(worker, "holder");
    expect(await worker.tell("cover", { as: "holder", pid: process.pid })).toBe(false);
  });
}
