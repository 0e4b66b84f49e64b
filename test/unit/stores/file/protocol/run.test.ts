import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ClaimRequest, Store } from "../../../../../src/lock/store.ts";
import { parseLock } from "../../../../../src/stores/file/format/format.ts";
import { temporaryDirectory } from "../../../../helpers/directories.ts";
import {
  auditLog,
  bystander,
  failure,
  holder,
  owner,
  rewrite,
  testStore,
} from "../../../../helpers/file/support.ts";
import { unixTest } from "../../../../helpers/platform.ts";

const FORGE = { api: "https://forge.example", repository: "acme/shop", run: "456", attempt: "1" };
const RUN = { id: "forge.example/acme/shop/runs/456/attempts/1", forge: FORGE };
const HOUR = 3_600_000;

const request = (id: string, more: Partial<ClaimRequest> = {}): ClaimRequest => ({
  key: "k",
  owner: owner(id),
  ...more,
});

async function scene(alive?: boolean | null) {
  const directory = temporaryDirectory();
  const asked: unknown[] = [];
  const options =
    alive === undefined
      ? {}
      : {
          alive: async (life: unknown) => {
            asked.push(life);
            return alive;
          },
        };
  const store = (await testStore(directory, options)) as Required<Store>;
  const killed = await holder(directory, { key: "k", owner: owner("job-1"), run: RUN, ttl: HOUR });
  await killed.kill("SIGKILL");
  return { directory, store, asked, lock: join(directory, "k.lock"), lease: killed.lease };
}

describe("the lock of a run", () => {
  test("ends when its forge says that the run is over, for who waits and who does not", async () => {
    const { store, asked, directory } = await scene(false);
    const holding = await store.claim(request("hasty"), { timeout: 0 });
    expect(holding.reclaimed).toEqual({ from: "job-1", reason: "HOLDER_DEAD" });
    expect(asked).toEqual([{ kind: "run", ...FORGE }]);
    await holding.release();
    const again = await holder(directory, { key: "k", owner: owner("job-2"), run: RUN, ttl: HOUR });
    await again.kill("SIGKILL");
    expect((await store.claim(request("next"))).reclaimed).toMatchObject({ from: "job-2" });
    expect(auditLog(directory).map(({ operation }) => operation)).toEqual([
      ...["acquire", "reclaim", "acquire", "release"],
      ...["acquire", "reclaim", "acquire"],
    ]);
  });

  test("is shown as its forge says, and is nobody's to take where that is not known", async () => {
    for (const alive of [true, null]) {
      const { store, lease } = await scene(alive);
      const { holders } = await store.inspect("k");
      expect(holders).toMatchObject([{ alive, pid: null, reclaimable: null, run: { id: RUN.id } }]);
      const { message } = await failure(store.claim(request("b"), { timeout: 0 }), "TIMEOUT");
      expect(message).toContain("job-1");
      expect(await store.verify(lease)).toBe(true);
      expect(await store.clean({ owner: "me" })).toEqual({ removed: [], failed: [] });
    }
  });

  test("is cleaned once its run is over", async () => {
    const { store, lock } = await scene(false);
    const { removed } = await store.clean({ owner: "me" });
    expect(removed).toEqual([{ path: lock, why: "lock of job-1: HOLDER_DEAD" }]);
  });

  unixTest("a boot id")(
    "is not judged by a process or a heartbeat of another machine, but by its end",
    async () => {
      const { store, lock, lease } = await scene();
      rewrite(lock, { host: "elsewhere", boot: "another", lease_ms: 1_000 });
      await failure(store.claim(request("b"), { timeout: 1_500 }), "TIMEOUT");
      // Over, but perhaps not by the other machine's clock.
      rewrite(lock, { acquired: new Date(Date.now() - HOUR - 30_000).toISOString() });
      await failure(store.claim(request("b"), { timeout: 0 }), "TIMEOUT");
      // Nor does a later job of the run share what others will soon reclaim.
      await failure(store.claim(request("job-2", { run: RUN }), { timeout: 0 }), "TIMEOUT");
      rewrite(lock, { acquired: new Date(Date.now() - HOUR - 61_000).toISOString() });
      expect(await store.verify(lease)).toBe(false);
      const holding = await store.claim(request("job-2", { run: RUN }), { timeout: 0 });
      expect(holding.reclaimed).toEqual({ from: "job-1", reason: "LOCK_EXPIRED" });
      expect(holding.lease.fence).toBeGreaterThan(lease.fence ?? 0);
    },
  );

  unixTest("a boot id")(
    "is not over where the wall clock was set on the machine that took it",
    async () => {
      const { store, lock, lease } = await scene();
      for (const hours of [-7, 7]) {
        rewrite(lock, { acquired: new Date(Date.now() + hours * HOUR).toISOString() });
        await failure(store.claim(request("b"), { timeout: 0 }), "TIMEOUT");
        expect(await store.verify(lease)).toBe(true);
      }
    },
  );

  test("tells its holders when its time is over, and leaves the file for the next claim", async () => {
    const store = (await testStore(temporaryDirectory())) as Required<Store>;
    const first = await store.claim(request("job-1", { run: RUN, ttl: 1_000 }));
    const shared = await store.claim(request("job-2", { run: RUN }), { timeout: 0 });
    expect(shared.lease).toMatchObject({ ttl: 1, since: first.lease.since });
    await first.renew();
    expect(await first.cover(process.pid)).toBe(false);
    const told = [first, shared].map(
      ({ lost }) =>
        new Promise((resolve) => lost.addEventListener("abort", () => resolve(lost.reason))),
    );
    for (const reason of await Promise.all(told))
      expect(reason).toMatchObject({ code: "LOCK_LOST", message: expect.stringContaining("ttl") });
    expect((await store.inspect("k")).holders).toHaveLength(1);
    expect((await store.claim(request("next"))).reclaimed).toMatchObject({
      reason: "LOCK_EXPIRED",
    });
  });

  test("lasts six hours unless it is said, and stays fresh for the sema tools until its end", async () => {
    const directory = temporaryDirectory();
    const store = await testStore(directory);
    const { lease } = await store.claim(request("job-1", { run: RUN }));
    expect(lease.ttl).toBe(6 * 3_600);
    const text = readFileSync(join(directory, "k.lock"), "utf8");
    const [, timestamp] = /^timestamp=(\d+)$/m.exec(text) ?? [];
    const staleAt = Number(timestamp) * 1_000 + HOUR;
    expect(Math.abs(staleAt - Date.parse(lease.since) - 6 * HOUR)).toBeLessThan(2_000);
    // What they read: a pid, a timestamp, and keys that they ignore.
    const foreign = parseLock(Buffer.from(text.replace(/^holdfast=.*$/m, "")));
    expect(foreign).toMatchObject({ kind: "sema", pid: process.pid });
  });

  test("is released by the run alone, and a foreign lock is named", async () => {
    const directory = temporaryDirectory();
    const store = (await testStore(directory)) as Required<Store>;
    expect(await store.releaseRun("k", RUN)).toBe("already-gone");
    const living = await bystander();
    const now = Math.floor(Date.now() / 1_000);
    writeFileSync(join(directory, "k.lock"), `pid=${living.pid}\ntimestamp=${now}\n`);
    expect(await store.releaseRun("k", RUN)).toEqual({ heldBy: `pid-${living.pid}` });
    await store.break("k", { reason: "x", owner: "me" });
    await store.claim(request("job-1", { run: RUN, slots: 2 }));
    await store.claim(request("job", { slots: 2 }));
    const shared = await store.claim(request("job-2", { run: RUN, slots: 2 }), { timeout: 0 });
    expect(await store.release({ ...shared.lease, token: "0".repeat(32) })).toBe("already-gone");
    expect(await store.releaseRun("k", RUN)).toBe("released");
    expect((await store.inspect("k")).holders.map(({ owner: id }) => id)).toEqual(["job"]);
    const [, , , released] = auditLog(directory);
    expect(released).toMatchObject({ operation: "release", details: { owner: "job-1", slot: 0 } });
  });
});
