import { once } from "node:events";
import { expect, it } from "vitest";
import type { ClaimRequest, Progress } from "../../../../src/lock/store.ts";
import { Readiness } from "../../../../src/lock/time.ts";
import { claimAll, type SeveralOptions } from "../../../../src/stores/several.ts";
import { until } from "../../../helpers/waiting.ts";
import type { ClaimExtras, Scene } from "../../scene/scene.ts";
import type { Worker } from "../../scene/workers.ts";

/** Enough for both processes to meet each other's half of the keys. */
const ROUNDS = 20;
const BREAK = { reason: "enough", owner: "tester" };

/** Each letter is a key. The test's own process claims several, and a worker is in its way. */
export function severalTests(scene: Scene): void {
  const { promises, breaks, expires, shares = true, newest, rounds = ROUNDS } = scene.limits;

  function requests(keys: string, extras: ClaimExtras = {}): ClaimRequest[] {
    return [...keys].map((key) => scene.request("several", { ...extras, key }));
  }

  /** A claim that waits for a key which another process holds, and its first report of who does. */
  async function blocked(
    keys: string,
    busy: string,
    options: SeveralOptions = {},
    extras: ClaimExtras = {},
  ) {
    const [store, other] = await Promise.all([scene.open(), scene.worker()]);
    await scene.claim(other, "other", { key: busy });
    const told = Promise.withResolvers<Progress>();
    const onProgress = (progress: Progress) => {
      if (progress.holders.length > 0) told.resolve(progress);
    };
    const turn = claimAll(store, requests(keys, extras), { ...options, onProgress });
    turn.catch(told.reject);
    return { store, other, turn, progress: await told.promise };
  }

  async function holders(worker: Worker, key: string): Promise<string[]> {
    return (await worker.tell("inspect", { key })).holders.map(({ owner }) => owner);
  }

  /** Another process gets them at once: nobody holds them, and nobody waits for them. */
  async function areFree(worker: Worker, keys: string): Promise<void> {
    for (const key of keys) await scene.claim(worker, `next-${key}`, { key, timeout: 0 });
  }

  it("are held together, with a fence each, and released once", async () => {
    const [store, other] = await Promise.all([scene.open(), scene.worker()]);
    const holding = await claimAll(store, requests("zaz"));
    expect(holding.leases.map(({ key }) => key)).toEqual(["z", "a"]);
    expect(holding.lease).toMatchObject({ key: "z", fence: holding.leases[0]?.fence });
    for (const lease of holding.leases) {
      const status = await other.tell("inspect", { key: lease.key });
      expect(status.holders).toMatchObject([{ owner: "several", fence: lease.fence }]);
      if (promises.fenced) {
        expect(lease.fence).toBeGreaterThan(0);
        expect(await other.tell("verify", { lease })).toBe(true);
      }
    }
    await holding.renew();
    expect(await holding.release()).toBe("released");
    await areFree(other, "az");
    // Whoever has them by now is left alone.
    expect(await holding.release()).toBe("already-gone");
    expect(await holders(other, "a")).toEqual(["next-a"]);
    expect(await holders(other, "z")).toEqual(["next-z"]);
  });

  it("are claimed in one order, and waiting says for which key", async () => {
    const { other, turn, progress } = await blocked("cba", "b");
    expect(progress).toMatchObject({ key: "b", position: 1, holders: [{ owner: "other" }] });
    expect(await holders(other, "a")).toEqual(["several"]);
    expect(await holders(other, "c")).toEqual([]);
    await other.tell("release", { as: "other" });
    const holding = await turn;
    expect(holding.leases.map(({ key }) => key)).toEqual(["c", "b", "a"]);
    expect(await holding.release()).toBe("released");
  });

  it("are none where one is not to be had in time, and the sentence says so", async () => {
    const [store, other] = await Promise.all([scene.open(), scene.worker()]);
    await scene.claim(other, "other", { key: "b" });
    await expect(claimAll(store, requests("cba"), { timeout: 0 })).rejects.toMatchObject({
      code: "TIMEOUT",
      message: expect.stringMatching(/^"b" .*held by other.* This claim holds none of them\.$/),
    });
    await expect(claimAll(store, requests("cba"), { timeout: 700 })).rejects.toMatchObject({
      code: "TIMEOUT",
      message: expect.stringContaining(
        "The 700ms are for all 3 keys. This claim holds none of them.",
      ),
    });
    expect(await other.tell("inspect", { key: "b" })).toMatchObject({ waiting: 0 });
    await areFree(other, "ac");
  });

  it("are none where the claim is cancelled, which leaves the line", async () => {
    const cancel = new AbortController();
    const { other, turn } = await blocked("ab", "b", { signal: cancel.signal });
    cancel.abort();
    await expect(turn).rejects.toMatchObject({ code: "ABORTED" });
    expect(await other.tell("inspect", { key: "b" })).toMatchObject({ waiting: 0 });
    await areFree(other, "a");
  });

  it("never make two processes wait for each other that name them in opposite order", async () => {
    const workers = await scene.workers(2);
    const done = await Promise.all(
      workers.map((worker, index) => {
        const keys = index === 0 ? ["a", "b"] : ["b", "a"];
        return worker.tell("together", { name: `w${index}`, keys, rounds, ...scene.deadAfter });
      }),
    );
    expect(done).toEqual([rounds, rounds]);
    expect(scene.verdict()).toMatchObject({ faults: [], unknown: [], grants: 4 * rounds });
  });

  it.runIf(breaks || expires)("are lost with one of them, held until the release", async () => {
    const [store, other] = await Promise.all([scene.open(), scene.worker()]);
    const whole = requests("ac");
    // Where nobody can break it, the end of its time takes it.
    const frail = requests("b", breaks ? {} : { ttl: 1_000, refresh: false });
    const holding = await claimAll(store, [...whole, ...frail]);
    const lost = once(holding.lost, "abort");
    if (breaks) await other.tell("break", { key: "b", options: BREAK });
    if (!holding.lost.aborted) await lost;
    const sentence = expect.stringMatching(/"b" was lost.*With it "a" and "c" count as lost\.$/);
    expect(holding.lost.reason).toMatchObject({ code: "LOCK_LOST", message: sentence });
    await expect(holding.renew()).rejects.toMatchObject({ code: "LOCK_LOST" });
    // What runs under them has still to be stopped.
    expect(await holders(other, "a")).toEqual(["several"]);
    expect(await holding.releaseEach()).toEqual([
      { key: "a", outcome: "released" },
      { key: "c", outcome: "released" },
      { key: "b", outcome: "already-gone" },
    ]);
    await areFree(other, "abc");
  });

  for (const early of shares ? [false, true] : [false]) {
    const how = early ? "claimed anew from places in line" : "claimed anew";
    it.runIf(breaks)(`are ${how} where one is broken before all are held`, async () => {
      const trouble = Promise.withResolvers<string>();
      const troubles: string[] = [];
      const onTrouble = (sentence: string) => {
        // A claim that begins anew again and again would never let this test end.
        if (troubles.push(sentence) > 1) throw new Error(troubles.join("\n"));
        trouble.resolve(sentence);
      };
      const ready = new Readiness();
      const joined = { ready, onJoined: () => ready.declare(null) };
      const { other, turn } = await blocked("ab", "b", { onTrouble, ...(early ? joined : {}) });
      await until(async () => (await holders(other, "a")).includes("several"));
      await other.tell("break", { key: "a", options: BREAK });
      expect(await trouble.promise).toMatch(/"a" was lost.*enough.*joining the line again/);
      await other.tell("release", { as: "other" });
      const holding = await turn;
      for (const { key } of holding.leases) expect(await holders(other, key)).toEqual(["several"]);
      expect(holding.lost.aborted).toBe(false);
      expect(await holding.release()).toBe("released");
    });
  }

  it.runIf(shares && newest)("are given up as soon as one of their places is ended", async () => {
    const ready = new Readiness();
    const joined = Promise.withResolvers<unknown>();
    const early = { ready, onJoined: joined.resolve };
    const { other, turn } = await blocked("ab", "a", early, { line: "newest" });
    await joined.promise;
    ready.declare(null);
    await scene.claim(other, "newer", { key: "b", line: "newest", timeout: 0 });
    await expect(turn).rejects.toMatchObject({ code: "SUPERSEDED", by: "newer" });
    expect(await holders(other, "a")).toEqual(["other"]);
    expect(await other.tell("inspect", { key: "a" })).toMatchObject({ waiting: 0 });
  });

  it("have the slots of the claim, every one of them", async () => {
    const [store, other] = await Promise.all([scene.open(), scene.worker()]);
    const one = await claimAll(store, requests("bc", { slots: 2 }));
    await scene.claim(other, "other", { key: "b", slots: 2, timeout: 0 });
    const slots = (await other.tell("inspect", { key: "b" })).holders.map(({ slot }) => slot);
    expect(slots.sort()).toEqual([0, 1]);
    for (const [count, code] of [
      [2, "TIMEOUT"],
      [1, "SLOTS_MISMATCH"],
    ] as const) {
      const claim = claimAll(store, requests("ab", { slots: count }), { timeout: 0 });
      await expect(claim).rejects.toMatchObject({ code });
    }
    await areFree(other, "a");
    expect(await one.release()).toBe("released");
    expect(await holders(other, "b")).toEqual(["other"]);
  });

  it("are checked before any is claimed", async () => {
    const store = await scene.open();
    const before = await scene.place.traces();
    const refused = { code: "BAD_KEY" };
    const bad = [...requests("a"), scene.request("several", { key: "a\nb" })];
    await expect(claimAll(store, bad)).rejects.toMatchObject(refused);
    expect(await scene.place.traces()).toEqual(before);
  });
}
