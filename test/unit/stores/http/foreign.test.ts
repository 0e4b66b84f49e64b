import { describe, expect, it } from "vitest";
import type { Progress } from "../../../../src/lock/store.ts";
import { Hengdang } from "../../../helpers/http/hengdang.ts";
import { hold, KEY, open, refused, request } from "../../../helpers/tcp/support.ts";
import { PATIENT } from "../../../helpers/waiting.ts";

describe("a server of the protocol's authors", () => {
  it("is used with a ready session, which lives on, and always let go of", async () => {
    const server = await Hengdang.start();
    const token = server.session();
    const store = await open(server.url, { token });
    const holding = await store.claim(request("me"));
    expect(holding.lease).toMatchObject({ fence: null, slot: 0, token });
    await holding.renew();
    expect(await store.verify(holding.lease)).toBe(true);
    expect(await holding.release()).toBe("released");
    expect(server.locks.size).toBe(0);
    expect(await store.verify(holding.lease)).toBe(false);
    expect(await holding.release()).toBe("already-gone");
    expect(server.requests.filter((line) => line.startsWith("DELETE"))).toEqual([]);
    expect(await (await store.claim(request("again"))).release()).toBe("released");
  });

  it("declares itself neither fair nor fenced nor pushing, and says once what that means", async () => {
    const server = await Hengdang.start();
    const store = await open(server.url, { token: server.session() });
    expect(store.promises).toMatchObject({ fair: true, fenced: true, push: true });
    const reports: Progress[] = [];
    const holding = await store.claim(request("me"), { onProgress: (told) => reports.push(told) });
    expect(store.promises).toEqual({ fair: false, fenced: false, push: false, scope: "network" });
    expect(reports.map(({ trouble }) => trouble)).toEqual([
      expect.stringContaining("can grant a lock to two at the same moment"),
    ]);
    await holding.release();
  });

  it("has no weights, priorities, names and places in line, and nothing stays held", async () => {
    const server = await Hengdang.start();
    const store = await open(server.url, { token: server.session() });
    const refusal = { code: "NOT_SUPPORTED" };
    const beyond = [{ slots: 2, weight: 2 }, { priority: 1 }, { resources: ["a"] }];
    for (const extras of beyond)
      await expect(store.claim(request("me", extras))).rejects.toMatchObject(refusal);
    await expect(store.join?.(request("me"))).rejects.toMatchObject(refusal);
    expect(server.locks.size).toBe(0);
    const other = await hold(await open(server.url, { token: server.session() }), "other");
    for (const extras of beyond) {
      const waiting = store.claim(request("me", extras), { timeout: 60_000 });
      await expect(waiting).rejects.toMatchObject(refusal);
    }
    await expect(store.join?.(request("me"))).rejects.toMatchObject(refusal);
    const freeze = { reason: "x", owner: "me", duration: null, slot: 0 };
    await expect(store.freeze?.(KEY, freeze)).rejects.toMatchObject(refusal);
    await expect(store.thaw?.(KEY, freeze)).rejects.toMatchObject(refusal);
    await other.release();
  });

  it("has no newest line, no runs and no freeze: the sentence says what to use, and nothing stays held", async () => {
    const server = await Hengdang.start();
    const store = await open(server.url, { token: server.session() });
    const refusal = {
      code: "NOT_SUPPORTED",
      message: expect.stringContaining("use holdfast serve"),
    };
    const run = { id: "acme/shop/runs/456", forge: null };
    for (const extras of [{ line: "newest" }, { run }] as const) {
      await expect(store.claim(request("me", extras))).rejects.toMatchObject(refusal);
      expect(server.locks.size).toBe(0);
    }
    const other = await hold(await open(server.url, { token: server.session() }), "other");
    const waiting = store.claim(request("me", { line: "newest" }), { timeout: 60_000 });
    await expect(waiting).rejects.toMatchObject(refusal);
    await other.release();
    const freeze = { reason: "x", owner: "me", duration: null };
    await expect(store.freeze?.(KEY, freeze)).rejects.toMatchObject(refusal);
    await expect(store.thaw?.(KEY, freeze)).rejects.toMatchObject(refusal);
    await expect(store.releaseRun?.(KEY, run)).rejects.toMatchObject(refusal);
  });

  it("opens no session for us, and the sentence says what to give instead", async () => {
    const server = await Hengdang.start();
    const none = await refused(server.url);
    expect(none).toMatchObject({ code: "STORE_DENIED" });
    expect(none.message).toContain("the id of a ready session in HOLDFAST_TOKEN");
    const unknown = await refused(server.url, { token: "f".repeat(64) });
    expect(unknown).toMatchObject({ code: "STORE_DENIED" });
    expect(unknown.message).not.toContain("ffff");
  });

  it("is polled while another session holds, with the holder's secret kept out of sight", async () => {
    const server = await Hengdang.start();
    const secret = server.session();
    const holding = await hold(await open(server.url, { token: secret }), "holder");
    const store = await open(server.url, { token: server.session() });
    const hasty = await store
      .claim(request("hasty"), { timeout: 0 })
      .then(() => new Error("it was granted"))
      .catch((error: Error) => error);
    expect(hasty).toMatchObject({ code: "TIMEOUT" });
    expect(hasty.message).toMatch(/held by session-[0-9a-f]{8} for/);
    const reports: Progress[] = [];
    const claimed = store.claim(request("waiter"), { onProgress: (told) => reports.push(told) });
    await expect.poll(() => reports.length, PATIENT).toBeGreaterThan(1);
    expect(JSON.stringify([reports, await store.inspect(KEY), hasty.message])).not.toContain(
      secret,
    );
    expect(reports[0]).toMatchObject({ position: 1, holders: [{ since: null, alive: null }] });
    await holding.release();
    expect(await (await claimed).release()).toBe("released");
  });

  it("grants twice, and only one of the two goes on", async () => {
    const server = await Hengdang.start();
    server.raceMs = 40;
    const names = ["one", "two", "three"];
    const stores = await Promise.all(
      names.map(() => open(server.url, { token: server.session() })),
    );
    const holders = new Set<string>();
    const overlaps: string[] = [];
    let rounds = 0;
    await Promise.all(
      stores.map(async (store, index) => {
        const name = names[index] as string;
        for (let round = 0; round < 4; round++) {
          const holding = await store.claim(request(name));
          rounds += 1;
          if (holders.size > 0) overlaps.push(`${name} beside ${[...holders]}`);
          holders.add(name);
          await holding.renew();
          holders.delete(name);
          await holding.release();
        }
      }),
    );
    expect(overlaps).toEqual([]);
    expect(rounds).toBe(12);
    // Else the test has shown nothing.
    expect(server.grants).toBeGreaterThan(rounds);
  });

  it("is refused a second claim in the session that holds: it would be granted", async () => {
    const server = await Hengdang.start();
    const token = server.session();
    const store = await open(server.url, { token });
    await hold(store, "first");
    const second = await refused(server.url, { token });
    expect(second).toMatchObject({ code: "ALREADY_HELD" });
    expect(second.message).toContain("a session of its own");
    expect(server.locks.size).toBe(1);
  });

  it("tells a holder whose lock another got of the loss", async () => {
    const server = await Hengdang.start();
    const holding = await hold(await open(server.url, { token: server.session() }), "robbed");
    const lock = server.locks.get(`/${KEY}`);
    if (lock !== undefined) lock.lockedBy = server.session();
    await expect(holding.renew()).rejects.toMatchObject({ code: "LOCK_LOST" });
    expect(holding.lost.aborted).toBe(true);
    expect(await holding.release()).toBe("already-gone");
    expect(server.locks.size).toBe(1);
  });

  it("leaves nothing locked when a claim is cancelled, however it stood", async () => {
    const server = await Hengdang.start();
    server.raceMs = 50;
    const store = await open(server.url, { token: server.session() });
    const controller = new AbortController();
    const claimed = store.claim(request("leaves"), { signal: controller.signal });
    const outcome = expect(claimed).rejects.toMatchObject({ code: "ABORTED" });
    await expect.poll(() => server.grants, PATIENT).toBe(1);
    controller.abort();
    await outcome;
    expect(server.locks.size).toBe(0);
  });

  it("has no slots, no list and no break, and each sentence says so", async () => {
    const server = await Hengdang.start();
    const store = await open(server.url, { token: server.session() });
    const unsupported = { code: "NOT_SUPPORTED" };
    await expect(store.claim(request("me", { slots: 2 }))).rejects.toMatchObject(unsupported);
    expect(server.locks.size).toBe(0);
    await expect(store.list()).rejects.toMatchObject(unsupported);
    const options = { reason: "a test", owner: "tester" };
    expect(await store.break(KEY, options)).toEqual({ broken: [] });
    await hold(store, "me");
    await expect(store.break(KEY, options)).rejects.toMatchObject({
      ...unsupported,
      message: expect.stringMatching(/no \/admin: end its holder session-[0-9a-f]{8}/),
    });
    expect(await store.inspect(KEY)).toMatchObject({ slots: 1, holders: [{ fence: null }] });
    await expect(store.verify({ key: KEY, fence: null, slot: 0 })).rejects.toMatchObject(
      unsupported,
    );
  });
});
