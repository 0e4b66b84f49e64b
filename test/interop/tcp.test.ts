import { describe, expect, it } from "vitest";
import type { Progress } from "../../src/lock/store.ts";
import { isThere } from "../helpers/needs.ts";
import { connectTo } from "../helpers/server/server.ts";
import { BINARY, type Start, startOurs, startReal } from "../helpers/tcp/dflockd.ts";
import { Network } from "../helpers/tcp/network.ts";
import { hold, KEY, lost, open, request } from "../helpers/tcp/support.ts";
import { PATIENT } from "../helpers/waiting.ts";

const SERVERS: [string, Start, boolean, boolean][] = [
  ["our server", startOurs, true, false],
  ["a real dflockd (DFLOCKD_BIN)", startReal, false, !isThere("dflockd", BINARY !== undefined)],
];

for (const [name, start, ours, skipped] of SERVERS) {
  describe.skipIf(skipped)(`the TCP store with ${name}`, () => {
    async function openOn(port: number, options = {}) {
      return open(`tcp://127.0.0.1:${port}`, options);
    }

    it("claims, renews, verifies and releases, and learns whether there are fences", async () => {
      const store = await openOn(await start());
      const holding = await hold(store, "holder");
      const { lease } = holding;
      expect(lease).toMatchObject({ key: KEY, store: store.url, owner: "holder", slot: 0 });
      expect(lease.fence).toEqual(ours ? expect.any(Number) : null);
      expect(store.promises).toMatchObject({ fair: true, fenced: ours, push: true });
      await holding.renew();
      expect(await store.verify(lease)).toBe(true);
      expect(await holding.release()).toBe("released");
      expect(await holding.release()).toBe("already-gone");
      expect(await store.verify(lease)).toBe(false);
    });

    it("cannot verify by a fence what has none", async () => {
      const store = await openOn(await start());
      const { lease } = await hold(store, "holder");
      const byFence = store.verify({ key: KEY, fence: lease.fence ?? 1, slot: 0 });
      if (ours) expect(await byFence).toBe(true);
      else await expect(byFence).rejects.toMatchObject({ code: "NOT_SUPPORTED" });
    });

    it("serves claims in order, and tells each its place", async () => {
      const store = await openOn(await start());
      const first = await hold(store, "first");
      const places = new Map<string, Progress>();
      const order: string[] = [];
      const turns: Promise<void>[] = [];
      for (const [index, id] of ["a", "b", "c"].entries()) {
        const onProgress = (progress: Progress) => void places.set(id, progress);
        const turn = store.claim(request(id), { timeout: 60_000, onProgress });
        turns.push(
          turn.then(async (holding) => {
            order.push(id);
            await holding.release();
          }),
        );
        await expect.poll(async () => (await store.inspect(KEY)).waiting, PATIENT).toBe(index + 1);
      }
      const status = await store.inspect(KEY);
      expect(status.holders).toHaveLength(1);
      expect(status.waiters.map(({ owner }) => owner)).toEqual(ours ? ["a", "b", "c"] : []);
      await expect
        .poll(() => ["a", "b", "c"].map((id) => places.get(id)?.position), PATIENT)
        .toEqual([1, 2, 3]);
      await first.release();
      await Promise.all(turns);
      expect(order).toEqual(["a", "b", "c"]);
    });

    it.runIf(ours)("tells claims of one owner apart, also those that come at once", async () => {
      const store = await openOn(await start());
      const holding = await hold(store, "same");
      const places = new Map<number, number>();
      const turns = Array.from({ length: 20 }, async (_, index) => {
        const onProgress = ({ position }: Progress) => void places.set(index, position);
        const next = await store.claim(request("same"), { timeout: 60_000, onProgress });
        await next.release();
      });
      const expected = turns.map((_, index) => index + 1);
      await expect
        .poll(() => [...places.values()].sort((one, other) => one - other), PATIENT)
        .toEqual(expected);
      await holding.release();
      await Promise.all(turns);
    });

    it("gives up in time, and leaves the line to those behind it", async () => {
      const store = await openOn(await start());
      const first = await hold(store, "first");
      await expect(store.claim(request("hasty"), { timeout: 0 })).rejects.toMatchObject({
        code: "TIMEOUT",
      });
      await expect(store.claim(request("brief"), { timeout: 300 })).rejects.toMatchObject({
        code: "TIMEOUT",
        message: expect.stringContaining("held by"),
      });
      const next = hold(store, "next");
      await first.release();
      expect((await next).lease.owner).toBe("next");
    });

    it("takes slots, and names both numbers where they differ", async () => {
      const store = await openOn(await start());
      const one = await hold(store, "one", { slots: 2 });
      const two = await hold(store, "two", { slots: 2 });
      await expect(
        store.claim(request("three", { slots: 2 }), { timeout: 0 }),
      ).rejects.toMatchObject({ code: "TIMEOUT" });
      await expect(store.claim(request("five", { slots: 5 }))).rejects.toMatchObject({
        code: "SLOTS_MISMATCH",
        message: expect.stringMatching(/\b2\b.*\b5\b/),
      });
      expect(await store.inspect(KEY)).toMatchObject({ slots: 2, waiting: 0 });
      expect((await store.inspect(KEY)).holders).toHaveLength(2);
      await two.renew();
      expect(await one.release()).toBe("released");
      expect(await two.release()).toBe("released");
    });

    it("says so where a free key is remembered with other slots", async () => {
      const store = await openOn(await start());
      await (await hold(store, "one")).release();
      const claimed = store.claim(request("two", { slots: 2 }), { timeout: 0 });
      if (ours) expect(await (await claimed).release()).toBe("released");
      else {
        await expect(claimed).rejects.toMatchObject({
          code: "SLOTS_MISMATCH",
          message: expect.stringContaining("remembers the key"),
        });
      }
    });

    it("lets another process release, a lock and a slot alike", async () => {
      const port = await start();
      const [store, other] = [await openOn(port), await openOn(port)];
      for (const slots of [1, 3]) {
        const { lease } = await hold(store, "holder", { key: `slots-${slots}`, slots });
        expect(await other.release({ ...lease, token: "0".repeat(32) })).toBe("already-gone");
        if (!ours) expect(await other.verify(lease)).toBe(true);
        expect(await other.release(lease)).toBe("released");
        expect(await other.release(lease)).toBe("already-gone");
      }
    });

    it("lists what is held, by the names that users gave", async () => {
      const store = await openOn(await start());
      const keys = ["two words", "100%", "größe ☃", "plain"];
      for (const key of keys) await hold(store, "holder", { key });
      const listed = await store.list();
      expect(listed.map(({ key }) => key).sort()).toEqual([...keys].sort());
      for (const { slots, waiting, holders } of listed) {
        expect([slots, waiting, holders.length]).toEqual([1, 0, 1]);
        expect(holders[0]?.owner).toEqual(ours ? "holder" : expect.stringMatching(/^connection-/));
      }
      await (await hold(store, "holder", { key: "free" })).release();
      expect((await store.list({ all: true })).map(({ key }) => key)).toContain("free");
    });

    it("shares a line with clients of other makes", async () => {
      const port = await start();
      const store = await openOn(port);
      const stranger = await connectTo(port);
      const token = await stranger.take(KEY);
      const status = await store.inspect(KEY);
      expect(status.holders.map(({ owner }) => owner)).toEqual([
        expect.stringMatching(/^connection-\d+$/),
      ]);
      const turn = hold(store, "ours");
      await expect.poll(async () => (await store.inspect(KEY)).waiting, PATIENT).toBe(1);
      await stranger.free(KEY, token);
      const holding = await turn;
      stranger.send(`l\n${KEY}\n60\n`);
      await expect.poll(async () => (await store.inspect(KEY)).waiting, PATIENT).toBe(1);
      await holding.release();
      expect(await stranger.line()).toMatch(/^ok \S+ 33$/);
    });

    it("shows a token, and is refused with a wrong one or none", async () => {
      const port = await start({ token: "s3cret" });
      const holding = await hold(await openOn(port, { token: "s3cret" }), "known");
      expect(await holding.release()).toBe("released");
      for (const options of [{ token: "wrong" }, {}]) {
        const store = await openOn(port, options);
        await expect(store.claim(request("stranger"))).rejects.toMatchObject({
          code: "STORE_DENIED",
        });
      }
    });

    it("shows a token also to a server that wants none", async () => {
      const store = await openOn(await start(), { token: "s3cret" });
      expect(await (await hold(store, "cautious")).release()).toBe("released");
    });

    it("is told of the server's limits", async () => {
      const store = await openOn(await start({ maxLocks: 1 }));
      await hold(store, "holder");
      await expect(store.claim(request("second", { key: "second" }))).rejects.toMatchObject({
        code: "STORE_FULL",
      });
    });

    it("tells a holder at once whose connection was closed on both sides", async () => {
      const port = await start();
      const network = await Network.start(() => port);
      const holding = await hold(await open(network.url), "holder", { deadAfter: 60_000 });
      const began = performance.now();
      network.hangUp();
      expect(await lost(holding)).toContain("no longer counts it as held");
      expect(performance.now() - began).toBeLessThan(10_000);
    });

    it("tells a holder that is cut off before its lease ends at the server", async () => {
      const port = await start();
      const network = await Network.start(() => port);
      const holding = await hold(await open(network.url), "cut off", { deadAfter: 6_000 });
      const heir = hold(await openOn(port), "heir").then(() => performance.now());
      network.cut();
      await lost(holding);
      const toldAt = performance.now();
      expect((await heir) - toldAt).toBeGreaterThan(1_000);
    });
  });
}
