import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Progress } from "../../../../src/lock/store.ts";
import { claimAll } from "../../../../src/stores/several.ts";
import { Restartable } from "../../../helpers/server/restartable.ts";
import { startProcess, startServer } from "../../../helpers/server/server.ts";
import { Network } from "../../../helpers/tcp/network.ts";
import { hold, KEY, lost, open, request } from "../../../helpers/tcp/support.ts";
import { PATIENT } from "../../../helpers/waiting.ts";
import { TCP } from "../remote/doors.ts";
import { cutTests, holderTests, killedTests } from "../remote/faults.ts";

describe("the network between holder and server is cut, without a FIN", () => {
  cutTests(TCP);

  it("the holder is told before the server cuts it off for its silence, however long its lease", async () => {
    const { port } = await startServer();
    const network = await Network.start(() => port);
    const holding = await hold(await open(network.url), "cut off", { deadAfter: 3_600_000 });
    const direct = await open(`tcp://127.0.0.1:${port}`);
    const heir = hold(direct, "heir").then(() => performance.now());
    await expect.poll(async () => (await direct.inspect(KEY)).waiting, PATIENT).toBe(1);
    network.cut();
    await lost(holding);
    const toldAt = performance.now();
    expect((await heir) - toldAt).toBeGreaterThan(1_000);
  });

  it("the lock is kept for good, though it was renewed on a second connection for a while", async () => {
    // What the server has not heard on for this long it closes, and frees what belongs to it.
    const { port } = await startServer({ "read-timeout": "9" });
    const network = await Network.start(() => port);
    const holding = await hold(await open(network.url), "patient", { deadAfter: 15_000 });
    network.cut();
    const unanswered = holding.renew();
    await expect.poll(() => network.accepted, PATIENT).toBeGreaterThan(1);
    network.heal();
    await unanswered;
    await new Promise((resolve) => setTimeout(resolve, 12_000));
    expect(holding.lost.aborted).toBe(false);
    expect(await holding.release()).toBe("released");
  });
});

describe("a grant that is heard of when its lease is over", () => {
  it.each([
    ["its own reply", 1, /^(?:ok|acquired) [0-9a-f]{32}/m],
    ["the reply that tells its slot", 2, /"leases":\[\{/],
  ])("is proven first, and the claim joins again: late is %s", async (_, slots, reply) => {
    const { port } = await startServer();
    // Passes everything on at once, but for one reply to the claim, which it keeps for too long.
    let late = true;
    const relay = createServer((client) => {
      const server = connect(port, "127.0.0.1");
      let passed = Promise.resolve();
      client.on("data", (chunk) => server.write(chunk));
      server.on("data", (chunk) => {
        passed = passed.then(async () => {
          if (late && reply.test(chunk.toString())) {
            late = false;
            await expect.poll(async () => (await direct.inspect(KEY)).holders, PATIENT).toEqual([]);
          }
          client.write(chunk);
        });
      });
      client.on("error", () => {}).on("close", () => server.destroy());
      server.on("error", () => {}).on("close", () => client.destroy());
    });
    const direct = await open(`tcp://127.0.0.1:${port}`);
    relay.listen(0, "127.0.0.1");
    await once(relay, "listening");
    onTestFinished(() => void relay.close());
    const store = await open(`tcp://127.0.0.1:${(relay.address() as AddressInfo).port}`);
    const first = await store.claim(request("late", { deadAfter: 2_000, slots }));
    expect(late).toBe(false);
    await first.renew();
    expect(first.lost.aborted).toBe(false);
    expect(await first.release()).toBe("released");
  });
});

describe("half-open connections", () => {
  it("a holder whose connection was reset, which the server has not noticed, renews on another", async () => {
    const { port } = await startServer();
    const network = await Network.start(() => port);
    const holding = await hold(await open(network.url), "holder");
    network.resetClients();
    await holding.renew();
    expect(holding.lost.aborted).toBe(false);
    expect(network.accepted).toBe(2);
    expect(await holding.release()).toBe("released");
  });

  it("a claim that waits and whose place was lost joins the line again", async () => {
    const { port } = await startServer();
    const network = await Network.start(() => port);
    const direct = await open(`tcp://127.0.0.1:${port}`);
    const holding = await hold(direct, "holder");
    const reports: Progress[] = [];
    const claimed = (await open(network.url)).claim(request("waiter"), {
      onProgress: (progress) => reports.push(progress),
    });
    await expect.poll(async () => (await direct.inspect(KEY)).waiting, PATIENT).toBe(1);
    network.hangUp();
    await expect
      .poll(() => reports.some(({ trouble }) => trouble?.includes("joining it again")), PATIENT)
      .toBe(true);
    await expect.poll(async () => (await direct.inspect(KEY)).waiting, PATIENT).toBe(1);
    await holding.release();
    const next = await claimed;
    expect(next.lease.owner).toBe("waiter");
    expect(await next.release()).toBe("released");
  });

  it("a holder whose place at the server is gone, and that was not told, is told by its renewal", async () => {
    const { port } = await startServer();
    const network = await Network.start(() => port);
    const holding = await hold(await open(network.url), "holder", { deadAfter: 6_000 });
    network.resetServers();
    expect(await lost(holding)).toContain("no longer counts it as held");
  });

  it("a holder whose connection the server closed has lost its lock, and knows it at once", async () => {
    const { port } = await startServer();
    const network = await Network.start(() => port);
    const holding = await hold(await open(network.url), "holder", { deadAfter: 60_000 });
    const start = performance.now();
    network.hangUp();
    expect(await lost(holding)).toContain("no longer counts it as held");
    expect(performance.now() - start).toBeLessThan(10_000);
    expect(await holding.release()).toBe("already-gone");
  });

  it("keeps the lease over a broken connection where the server does", async () => {
    const { port } = await startServer({ "auto-release-on-disconnect": "false" });
    const network = await Network.start(() => port);
    const direct = await open(`tcp://127.0.0.1:${port}`);
    const holding = await hold(await open(network.url), "holder");
    network.hangUp();
    await holding.renew();
    await expect(direct.claim(request("other"), { timeout: 0 })).rejects.toMatchObject({
      code: "TIMEOUT",
      message: expect.stringContaining("held by holder"),
    });
    expect(await direct.verify(holding.lease)).toBe(true);
    expect(await holding.release()).toBe("released");
  });
});

describe("the server", () => {
  killedTests(TCP);

  it("is killed and started anew without its memory: the holder is told at once", async () => {
    const first = await startProcess([]);
    let { port } = first;
    const network = await Network.start(() => port);
    const holding = await hold(await open(network.url), "holder", { deadAfter: 120_000 });
    first.child.kill("SIGKILL");
    await first.ended;
    ({ port } = await startProcess([]));
    expect(await lost(holding)).toContain("no longer counts it as held");
  });

  it("is killed and started anew: a claim that waited joins the line again", async () => {
    const first = await startProcess([]);
    let { port } = first;
    const network = await Network.start(() => port);
    const holding = await hold(await open(`tcp://127.0.0.1:${port}`), "holder", {
      deadAfter: 3_000,
    });
    const store = await open(network.url);
    const claimed = store.claim(request("waiter"));
    await expect.poll(async () => (await store.inspect(KEY)).waiting, PATIENT).toBe(1);
    first.child.kill("SIGKILL");
    await lost(holding);
    ({ port } = await startProcess([]));
    const next = await claimed;
    expect(next.lease.owner).toBe("waiter");
    expect(next.lease.fence).toBeGreaterThan(holding.lease.fence as number);
    expect(await next.release()).toBe("released");
  });

  it("is stopped: holders may end, and release", async () => {
    const server = await startProcess([]);
    const holding = await hold(await open(`tcp://127.0.0.1:${server.port}`), "holder");
    server.child.kill("SIGTERM");
    await expect.poll(() => server.stderr(), PATIENT).toContain("stopping");
    await holding.renew();
    expect(holding.lost.aborted).toBe(false);
    expect(await holding.release()).toBe("released");
    expect(await server.ended).toEqual([0, null]);
  });

  it("is away when the lock is let go: an error, and it can be tried again", async () => {
    const { port } = await startServer({ "auto-release-on-disconnect": "false" });
    let target = port;
    const network = await Network.start(() => target);
    const holding = await hold(await open(network.url), "holder");
    target = 1;
    network.hangUp();
    await expect(holding.release()).rejects.toMatchObject({ code: "STORE_UNREACHABLE" });
    target = port;
    expect(await holding.release()).toBe("released");
    expect(await holding.release()).toBe("already-gone");
  });

  it.each([
    ["with its locks: the lock is released", true],
    ["without them: it is an error still, since nobody knows what came between", false],
  ])("is away for a moment when a job lets go, and comes back %s", async (_, keeps) => {
    const first = await startServer({ "auto-release-on-disconnect": "false" });
    const other = await startServer();
    let target = first.port;
    const network = await Network.start(() => target);
    const holding = await claimAll(await open(network.url), [request("job")]);
    target = 1;
    network.hangUp();
    const attempts = network.accepted;
    const released = holding.release();
    released.catch(() => {});
    await expect.poll(() => network.accepted, PATIENT).toBeGreaterThan(attempts);
    target = keeps ? first.port : other.port;
    if (keeps) expect(await released).toBe("released");
    else await expect(released).rejects.toMatchObject({ code: "STORE_UNREACHABLE" });
  });
});

describe("a holder", () => {
  holderTests(TCP);

  it("speaks often enough for a server that cuts off the silent, however long its lease", async () => {
    const { port, printed } = await startServer({ "read-timeout": "3" });
    const holding = await hold(await open(`tcp://127.0.0.1:${port}`), "holder", {
      deadAfter: 3_600_000,
    });
    const ended = once(holding.lost, "abort").then(() => "lost");
    const later = new Promise((resolve) => setTimeout(resolve, 8_000, "held"));
    expect(await Promise.race([ended, later])).toBe("held");
    expect(printed.log).not.toContain("violation");
    expect(await holding.release()).toBe("released");
  });

  it("that is cut off gives up before a server with a short read timeout frees its lock", async () => {
    const { port } = await startServer({ "read-timeout": "4" });
    const network = await Network.start(() => port);
    const holding = await hold(await open(network.url), "holder", { deadAfter: 3_600_000 });
    const next = open(`tcp://127.0.0.1:${port}`).then((store) => hold(store, "next"));
    let given = false;
    void next.then(() => {
      given = true;
    });
    network.cut();
    await lost(holding);
    expect(given).toBe(false);
    await (await next).release();
  });

  it("goes on holding over a restart of a server that has a data file", async () => {
    const server = await Restartable.start();
    const url = `tcp://127.0.0.1:${server.port}`;
    const holding = await hold(await open(url), "holder");
    const store = await open(url);
    const next = hold(store, "next");
    await expect.poll(async () => (await store.inspect(KEY)).waiting, PATIENT).toBe(1);
    await server.restart();
    await holding.renew();
    expect(holding.lost.aborted).toBe(false);
    expect(await holding.release()).toBe("released");
    const { fence } = (await next).lease;
    expect(fence).toBeGreaterThan(holding.lease.fence as number);
    await (await next).release();
  });

  it("is told at once that its lock was broken, over the server's other door", async () => {
    const { port, running } = await startServer({ "http-port": "0" });
    const holding = await hold(await open(`tcp://127.0.0.1:${port}`), "holder", {
      deadAfter: 3_600_000,
    });
    const start = performance.now();
    const url = `http://127.0.0.1:${running.httpPort}/admin/locks/${KEY}?reason=test`;
    expect((await fetch(url, { method: "DELETE" })).status).toBe(200);
    expect(await lost(holding)).toContain("it was broken (test)");
    // It would have renewed after seven seconds.
    expect(performance.now() - start).toBeLessThan(6_000);
  });
});
