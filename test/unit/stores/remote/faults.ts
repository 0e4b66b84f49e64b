import { expect, it } from "vitest";
import type { Progress } from "../../../../src/lock/store.ts";
import { start } from "../../../helpers/processes.ts";
import { Network } from "../../../helpers/tcp/network.ts";
import { hold, KEY, lost, open, request } from "../../../helpers/tcp/support.ts";
import { PATIENT } from "../../../helpers/waiting.ts";
import { type Door, urlOf } from "./doors.ts";

const LEASE_MS = 6_000;
/** For programs of their own. */
export const OPEN = new URL("../../../../src/stores/open.ts", import.meta.url).href;

/** The network between client and server is cut, without a FIN. */
export function cutTests(door: Door): void {
  it("the holder is told before its lease ends at the server", async () => {
    // Over TCP the server would cut off a silent holder first: here its lease alone is to decide.
    const port = await door.start({ "read-timeout": "600" });
    const network = await Network.start(() => port);
    const store = await open(urlOf(door, network.port));
    const holding = await hold(store, "cut off", { deadAfter: LEASE_MS });
    const direct = await open(urlOf(door, port));
    const heir = direct.claim(request("heir")).then(async (next) => {
      const at = performance.now();
      await next.release();
      return at;
    });
    await expect.poll(async () => (await direct.inspect(KEY)).waiting, PATIENT).toBe(1);
    network.cut();
    const sentence = await lost(holding);
    const toldAt = performance.now();
    expect(sentence).toMatch(/"production" was lost: it could not be renewed for \d+s/);
    expect(sentence).toMatch(/d(id|oes) not answer/);
    // A third of the lease is left to stop what runs under the lock.
    expect((await heir) - toldAt).toBeGreaterThan(LEASE_MS / 6);
  });

  it("the lock is kept when the network is back in time", async () => {
    const port = await door.start();
    const network = await Network.start(() => port);
    const store = await open(urlOf(door, network.port));
    const holding = await hold(store, "patient", { deadAfter: 15_000 });
    const before = network.accepted;
    network.cut();
    // The renewal that the cut swallowed gets no answer: the holder tries another connection.
    await expect.poll(() => network.accepted, PATIENT).toBeGreaterThan(before);
    network.heal();
    await holding.renew();
    expect(holding.lost.aborted).toBe(false);
    expect(await holding.release()).toBe("released");
  });

  it("a claim that waits is told that the server is silent, and goes on waiting", async () => {
    const port = await door.start();
    const network = await Network.start(() => port);
    const holding = await hold(await open(urlOf(door, port)), "holder");
    const reports: Progress[] = [];
    const claimed = (await open(urlOf(door, network.port))).claim(request("waiter"), {
      onProgress: (progress) => reports.push(progress),
    });
    await expect.poll(() => reports.length, PATIENT).toBeGreaterThan(0);
    network.cut();
    await expect.poll(() => reports.at(-1)?.trouble, PATIENT).toContain("did not answer");
    network.heal();
    await expect.poll(() => reports.at(-1)?.trouble, PATIENT).toBeUndefined();
    expect(reports.at(-1)).toMatchObject({ position: 1, waiting: 1 });
    await holding.release();
    expect(await (await claimed).release()).toBe("released");
  });

  it("a claim that waits, and that the server has forgotten, notices and joins the line again", async () => {
    const port = await door.start();
    const network = await Network.start(() => port);
    const direct = await open(urlOf(door, port));
    const holding = await hold(direct, "holder");
    const claimed = (await open(urlOf(door, network.port))).claim(request("waiter"), {
      onProgress: () => {},
    });
    await expect.poll(async () => (await direct.inspect(KEY)).waiting, PATIENT).toBe(1);
    network.resetServers();
    await expect.poll(async () => (await direct.inspect(KEY)).waiting, PATIENT).toBe(0);
    await expect.poll(async () => (await direct.inspect(KEY)).waiting, PATIENT).toBe(1);
    await holding.release();
    expect(await (await claimed).release()).toBe("released");
  });
}

/** The server is killed, and stays away. */
export function killedTests(door: Door): void {
  it("is killed: the holder is told within its lease", async () => {
    const server = await door.spawn();
    const store = await open(urlOf(door, server.port));
    const holding = await hold(store, "holder", { deadAfter: LEASE_MS });
    const start = performance.now();
    server.kill();
    expect(await lost(holding)).toContain("nothing listens");
    expect(performance.now() - start).toBeLessThan(LEASE_MS);
    await expect(holding.renew()).rejects.toMatchObject({ code: "LOCK_LOST" });
    expect(await holding.release()).toBe("already-gone");
  });

  it("is killed for good: a claim that waited gives up at its timeout", async () => {
    const server = await door.spawn();
    const store = await open(urlOf(door, server.port));
    await hold(store, "holder", { deadAfter: 3_000 });
    const reports: Progress[] = [];
    const claimed = store.claim(request("waiter"), {
      timeout: 6_000,
      onProgress: (progress) => reports.push(progress),
    });
    const outcome = expect(claimed).rejects.toMatchObject({
      code: "TIMEOUT",
      message: expect.stringContaining("does not answer"),
    });
    await expect.poll(() => reports.length, PATIENT).toBeGreaterThan(0);
    server.kill();
    await outcome;
    expect(reports.at(-1)?.trouble).toContain("nothing listens on that port");
  });
}

export function holderTests(door: Door): void {
  it("is told of a lock that another process let go", async () => {
    const store = await open(urlOf(door, await door.start()));
    const holding = await hold(store, "holder", { deadAfter: 3_000 });
    expect(await store.release(holding.lease)).toBe("released");
    expect(await lost(holding)).toContain("no longer counts it as held");
  });

  it("keeps no process running, but its renewal and its release do", async () => {
    const { port } = await door.spawn();
    const url = urlOf(door, port);
    // A short lease would hide that the end of the process did not free the lock at once.
    const lease = door.freesAtOnce ? {} : { deadAfter: 1_500 };
    const program = `
      import { openStore } from ${JSON.stringify(OPEN)};
      const store = await openStore("${url}");
      const owner = { id: "script", metadata: {} };
      const one = await store.claim({ key: "one", owner });
      const two = await store.claim({ key: "two", owner, ...${JSON.stringify(lease)} });
      await one.renew();
      console.log(await one.release());
    `;
    const script = start(process.execPath, ["--input-type=module", "-e", program]);
    expect(await script.ended).toMatchObject({ code: 0, stdout: "released\n" });
    const store = await open(url);
    await expect.poll(async () => store.list(), PATIENT).toEqual([]);
  });
}
