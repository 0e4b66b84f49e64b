import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { messageOf } from "../../../src/lock/errors.ts";
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

  it("each is killed in turn, and the one that leads is stopped: a holder with the shortest dead-after keeps its lock", async () => {
    const faults = [0, 1, 2, "leader"] as const;
    for (let at = 0, slow = 0; at < faults.length; ) {
      const fault = faults[at] as (typeof faults)[number];
      const leader = await eventually(
        () => cluster.leader().catch(() => null),
        (found) => found !== null,
      );
      const victim = fault === "leader" ? (leader as number) : fault;
      const store = await from(victim);
      // One that stops nothing, and one whose command needs longer to stop than it can have.
      const holdings = await Promise.all(
        [0, 10_000].map((grace) => {
          const owner = { id: `grace ${grace}`, metadata: {} };
          return store.claim({ key: `${fault} ${grace} ${slow}`, owner, grace, deadAfter: 1_000 });
        }),
      );
      const silence = await watchSilence(cluster);
      // A sign of life is due at any time within this: so the fault comes at any time between two.
      await delay(Math.random() * 1_500);
      if (fault === "leader") cluster.freeze(victim);
      else await cluster.kill(victim);
      // Longer than until a holder that could not renew would have given up.
      await delay(store.leastDeadAfter as number);
      const gap = silence.end();
      const losses = holdings.map(({ lost: { reason } }) => messageOf(reason ?? "none"));
      if (fault === "leader") cluster.thaw(victim);
      else await cluster.startAgain(victim);
      // A machine that is so slow that etcd itself is away for longer than it is said to be shows nothing.
      if (gap < (store.leastDeadAfter as number) / 2) {
        expect({ fault, gap, losses }).toEqual({ fault, gap, losses: ["none", "none"] });
        at++;
      } else expect(++slow, "rounds in which etcd was away for too long").toBeLessThan(8);
      await Promise.all(holdings.map((holding) => holding.release()));
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
      message: expect.stringMatching(/d(?:oes|id) not answer|cannot be reached|cannot answer/),
    });
    expect(performance.now() - began).toBeLessThan(60_000);
    const troubles = () => reports.map(({ trouble = "" }) => trouble).join("\n");
    await expect
      .poll(troubles, PATIENT)
      .toMatch(/d(?:oes|id) not answer|cannot be reached|cannot answer/);
    await Promise.all(dead.map((member) => cluster.startAgain(member)));
    const heir = await waiting;
    expect(heir.lease.fence).toBeGreaterThan(holding.lease.fence as number);
    expect(await heir.release()).toBe("released");
  });
});

/** Asks every member for a sign of life of its own all the time, and knows how long none of them gave one. */
async function watchSilence(cluster: EtcdCluster): Promise<{ end(): number }> {
  const { ID } = await cluster.ask(await cluster.leader(), "/v3/lease/grant", { TTL: 60 }, 5_000);
  let isOver = false;
  let answeredAt = performance.now();
  let longest = 0;
  const watch = async (member: number) => {
    while (!isOver) {
      const askedAt = performance.now();
      const answer = await cluster
        .ask(member, "/v3/lease/keepalive", { ID }, 300)
        .catch(() => null);
      if (answer?.result !== undefined) {
        longest = Math.max(longest, performance.now() - answeredAt);
        answeredAt = Math.max(answeredAt, askedAt);
      }
      await delay(20);
    }
  };
  for (const member of [0, 1, 2]) void watch(member);
  return {
    end: () => {
      isOver = true;
      return Math.max(longest, performance.now() - answeredAt);
    },
  };
}
