import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Progress } from "../../../src/lock/store.ts";
import { type EtcdCluster, hasEtcd, startEtcdCluster } from "../../helpers/engines/etcd.ts";
import { hold, KEY, lost, open, request } from "../../helpers/tcp/support.ts";
import { eventually, PATIENT } from "../../helpers/waiting.ts";

const DEAD_AFTER_MS = 12_000;

describe.skipIf(!hasEtcd)("three members of etcd", () => {
  let cluster: EtcdCluster;
  let url: string;
  beforeEach(async () => {
    cluster = await startEtcdCluster();
    url = `etcd://${cluster.ports.map((port) => `127.0.0.1:${port}`).join()}/locks`;
  });
  afterEach(() => cluster.stop());

  /** The store as a process sees it that asks this member first. */
  const from = (member: number) => {
    const ports = [...cluster.ports.slice(member), ...cluster.ports.slice(0, member)];
    return open(`etcd://${ports.map((port) => `127.0.0.1:${port}`).join()}/locks`);
  };

  it("one that leads, or does not, is killed: the holder goes on, and the next gets its turn", async () => {
    for (const isLeader of [false, true]) {
      const leader = await eventually(
        () => cluster.leader(),
        () => true,
      );
      const victim = isLeader ? leader : (leader + 1) % 3;
      // Both ask the victim first.
      const [one, other] = [await from(victim), await from(victim)];
      const holding = await hold(one, "holder", { deadAfter: DEAD_AFTER_MS });
      const next = hold(other, "next", { deadAfter: DEAD_AFTER_MS });
      await expect.poll(async () => (await one.inspect(KEY)).waiting, PATIENT).toBe(1);
      await cluster.kill(victim);
      await holding.renew();
      expect(await holding.release()).toBe("released");
      const heir = await next;
      expect(heir.lease.fence).toBeGreaterThan(holding.lease.fence as number);
      expect(holding.lost.aborted).toBe(false);
      expect(await heir.release()).toBe("released");
      await cluster.startAgain(victim);
    }
  });

  it("two are killed: the holder gives up in time, claims say why they wait, and go on after", async () => {
    const leader = await cluster.leader();
    const store = await open(url);
    const holding = await hold(store, "holder", { deadAfter: 6_000 });
    const reports: Progress[] = [];
    const waiting = (await open(url)).claim(request("waiter", { deadAfter: 6_000 }), {
      onProgress: (progress) => reports.push(progress),
    });
    await expect.poll(async () => (await store.inspect(KEY)).waiting, PATIENT).toBe(1);
    const dead = [0, 1, 2].filter((member) => member !== leader);
    await Promise.all(dead.map((member) => cluster.kill(member)));
    const began = performance.now();
    expect(await lost(holding)).toMatch(/could not be renewed/);
    expect(performance.now()).toBeLessThan(holding.safeUntil as number);
    // A new claim is told soon; one that waits is told why, and stays.
    await expect((await open(url)).claim(request("late"))).rejects.toMatchObject({
      code: "STORE_UNREACHABLE",
      message: expect.stringMatching(/does not answer|cannot be reached|cannot answer/),
    });
    expect(performance.now() - began).toBeLessThan(60_000);
    const troubles = () => reports.map(({ trouble = "" }) => trouble).join("\n");
    await expect.poll(troubles, PATIENT).toMatch(/does not answer|cannot be reached|cannot answer/);
    await Promise.all(dead.map((member) => cluster.startAgain(member)));
    const heir = await waiting;
    expect(heir.lease.fence).toBeGreaterThan(holding.lease.fence as number);
    expect(await heir.release()).toBe("released");
  });
});
