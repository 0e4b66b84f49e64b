import { describe, expect, it } from "vitest";
import type { Progress } from "../../../../src/lock/store.ts";
import { local } from "../../../helpers/http/served.ts";
import { Restartable } from "../../../helpers/server/restartable.ts";
import { startProcess } from "../../../helpers/server/server.ts";
import { hold, KEY, lost, open, request } from "../../../helpers/tcp/support.ts";
import { PATIENT } from "../../../helpers/waiting.ts";
import { HTTP } from "../remote/doors.ts";
import { killedTests } from "../remote/faults.ts";

const WITH_HTTP = ["--http-port", "0"];

describe("the server", () => killedTests(HTTP));

describe("the server is killed", () => {
  it("and comes back without its memory: the holder is told at once, however long its lease", async () => {
    const first = await startProcess(WITH_HTTP);
    const holding = await hold(await open(local(first.httpPort)), "holder", { deadAfter: 120_000 });
    first.child.kill("SIGKILL");
    await first.ended;
    await startProcess(["--http-port", String(first.httpPort)]);
    const start = performance.now();
    expect(await lost(holding)).toContain("no longer counts it as held");
    expect(performance.now() - start).toBeLessThan(30_000);
  });

  it("and comes back without its memory: a claim that waited joins the line again", async () => {
    const first = await startProcess(WITH_HTTP);
    const store = await open(local(first.httpPort));
    const holding = await hold(store, "holder", { deadAfter: 3_000 });
    const claimed = store.claim(request("waiter"));
    await expect.poll(async () => (await store.inspect(KEY)).waiting, PATIENT).toBe(1);
    first.child.kill("SIGKILL");
    await lost(holding);
    await startProcess(["--http-port", String(first.httpPort)]);
    const next = await claimed;
    expect(next.lease.owner).toBe("waiter");
    expect(next.lease.fence).toBeGreaterThan(holding.lease.fence as number);
    expect(await next.release()).toBe("released");
  });

  it("and comes back with its data: the holder goes on, and who waits stays behind it", async () => {
    const server = await Restartable.start(WITH_HTTP);
    const store = await open(local(server.httpPort));
    const holding = await hold(store, "holder");
    const reports: Progress[] = [];
    const claimed = store.claim(request("waiter"), {
      onProgress: (progress) => reports.push(progress),
    });
    await expect.poll(() => reports.length, PATIENT).toBeGreaterThan(0);
    await server.restart();
    await holding.renew();
    expect(await store.verify(holding.lease)).toBe(true);
    await expect.poll(async () => (await store.inspect(KEY)).waiting, PATIENT).toBe(1);
    expect((await store.inspect(KEY)).holders).toMatchObject([
      { owner: "holder", fence: holding.lease.fence },
    ]);
    expect(holding.lost.aborted).toBe(false);
    expect(await holding.release()).toBe("released");
    const next = await claimed;
    expect(next.lease.fence).toBeGreaterThan(holding.lease.fence as number);
    expect(await next.release()).toBe("released");
  });
});

describe("the server is killed, and comes back with its data", () => {
  it("what a run holds is as it was, for the job that holds it and for the next", async () => {
    const server = await Restartable.start(WITH_HTTP);
    const store = await open(local(server.httpPort));
    const run = { id: "acme/shop/runs/456", forge: null };
    const holding = await hold(store, "job-1", { run, ttl: 600_000, deadAfter: 1_000 });
    for (let restarts = 0; restarts < 3; restarts += 1) {
      await server.restart();
      await holding.renew();
      const shared = await store.claim(request("job-2", { run }), { timeout: 0 });
      expect(shared.lease.fence).toBe(holding.lease.fence);
      const stranger = store.claim(request("stranger"), { timeout: 0 });
      await expect(stranger).rejects.toMatchObject({ code: "TIMEOUT" });
    }
    const { holders } = await store.inspect(KEY);
    const until = Date.parse(holders[0]?.run?.until ?? "");
    expect(until - Date.parse(holding.lease.since)).toBe(600_000);
    expect(holding.lost.aborted).toBe(false);
    expect(await store.releaseRun?.(KEY, run)).toBe("released");
    expect(await lost(holding)).toContain("no longer counts it as held");
  });

  it("the newest claim is still the newest, whichever joins the line first", async () => {
    const server = await Restartable.start(WITH_HTTP);
    const store = await open(local(server.httpPort));
    const holding = await hold(store, "holder");
    const older = store.claim(request("older", { line: "newest" }));
    const refused = expect(older).rejects.toMatchObject({ code: "SUPERSEDED", by: "newer" });
    await expect.poll(async () => (await store.inspect(KEY)).waiting, PATIENT).toBe(1);
    await server.restart();
    const newer = store.claim(request("newer", { line: "newest" }));
    await refused;
    await holding.renew();
    expect(await holding.release()).toBe("released");
    expect(await (await newer).release()).toBe("released");
  });
});

describe("the server is stopped", () => {
  it("and comes back: a claim that waited has its turn", async () => {
    const server = await Restartable.start([...WITH_HTTP, "--shutdown-timeout", "1"]);
    const store = await open(local(server.httpPort));
    const holding = await hold(store, "holder");
    const reports: Progress[] = [];
    const claimed = store.claim(request("waiter"), {
      onProgress: (progress) => reports.push(progress),
    });
    await expect.poll(() => reports.length, PATIENT).toBeGreaterThan(0);
    await server.restart("SIGTERM");
    await holding.renew();
    expect(await holding.release()).toBe("released");
    expect(await (await claimed).release()).toBe("released");
  });

  it("when the lock is let go: an error, and it can be tried again", async () => {
    const server = await Restartable.start(WITH_HTTP);
    const holding = await hold(await open(local(server.httpPort)), "holder");
    await server.end();
    await expect(holding.release()).rejects.toMatchObject({ code: "STORE_UNREACHABLE" });
    await server.startAgain();
    expect(await holding.release()).toBe("released");
    expect(await holding.release()).toBe("already-gone");
  });
});
