import { describe, expect, it } from "vitest";
import type { Progress } from "../../../src/lock/store.ts";
import { start } from "../../helpers/processes.ts";
import { PATIENT, startProcess } from "../../server/kit/server.ts";
import { Network } from "../tcp/network.ts";
import { hold, KEY, lost, open, request } from "../tcp/support.ts";
import { Relay } from "./kit/relay.ts";
import { local, served } from "./kit/served.ts";

const LEASE_MS = 6_000;
/** For programs of their own. */
const OPEN = new URL("../../../src/stores/open.ts", import.meta.url).href;

describe("the network between holder and server is cut, without a FIN", () => {
  it("the holder is told before its lease ends at the server", async () => {
    const { httpPort, url } = await served();
    const network = await Network.start(() => httpPort);
    const holding = await hold(await open(local(network.port)), "cut off", { lease: LEASE_MS });
    const direct = await open(url);
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
    const { httpPort } = await served();
    const network = await Network.start(() => httpPort);
    const holding = await hold(await open(local(network.port)), "patient", { lease: 15_000 });
    const before = network.accepted;
    network.cut();
    // The refresh that the cut swallowed gets no answer: the holder tries another connection.
    await expect.poll(() => network.accepted, PATIENT).toBeGreaterThan(before);
    network.heal();
    await holding.renew();
    expect(holding.lost.aborted).toBe(false);
    expect(await holding.release()).toBe("released");
  });

  it("a claim that waits is told that the server is silent, and goes on waiting", async () => {
    const { httpPort, url } = await served();
    const network = await Network.start(() => httpPort);
    const holding = await hold(await open(url), "holder");
    const reports: Progress[] = [];
    const claimed = (await open(local(network.port))).claim(request("waiter"), {
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

  it("a claim that waits out of the server's sight joins the line again", async () => {
    const { httpPort, url } = await served();
    const network = await Network.start(() => httpPort);
    const direct = await open(url);
    const holding = await hold(direct, "holder");
    const claimed = (await open(local(network.port))).claim(request("waiter"), {
      onProgress: () => {},
    });
    await expect.poll(async () => (await direct.inspect(KEY)).waiting, PATIENT).toBe(1);
    network.resetServers();
    await expect.poll(async () => (await direct.inspect(KEY)).waiting, PATIENT).toBe(0);
    await expect.poll(async () => (await direct.inspect(KEY)).waiting, PATIENT).toBe(1);
    await holding.release();
    expect(await (await claimed).release()).toBe("released");
  });
});

describe("connections break", () => {
  it("and a holder loses nothing: the session is not the connection", async () => {
    const { httpPort } = await served();
    const network = await Network.start(() => httpPort);
    const holding = await hold(await open(local(network.port)), "holder");
    network.hangUp();
    await holding.renew();
    network.resetClients();
    await holding.renew();
    network.resetServers();
    await holding.renew();
    expect(holding.lost.aborted).toBe(false);
    expect(await holding.release()).toBe("released");
  });

  it("and a claim that waits keeps its place in line", async () => {
    const { httpPort, url } = await served();
    const network = await Network.start(() => httpPort);
    const direct = await open(url);
    const holding = await hold(direct, "holder");
    const first = hold(await open(local(network.port)), "first");
    await expect.poll(async () => (await direct.inspect(KEY)).waiting, PATIENT).toBe(1);
    const second = hold(direct, "second");
    await expect.poll(async () => (await direct.inspect(KEY)).waiting, PATIENT).toBe(2);
    const before = network.accepted;
    network.hangUp();
    await expect.poll(() => network.accepted, PATIENT).toBeGreaterThan(before);
    await holding.release();
    expect(await (await first).release()).toBe("released");
    expect(await (await second).release()).toBe("released");
  });
});

describe("a holder", () => {
  it("is told of a lock that another process let go", async () => {
    const { url } = await served();
    const store = await open(url);
    const holding = await hold(store, "holder", { lease: 3_000 });
    expect(await store.release(holding.lease)).toBe("released");
    expect(await lost(holding)).toContain("no longer counts it as held");
  });

  it("verifies and lets go with the lease alone where the server's token is not at hand", async () => {
    const { url } = await served({ "auth-token": "the-token-of-the-server" });
    const holding = await hold(await open(url, { token: "the-token-of-the-server" }), "holder");
    const other = await open(url);
    expect(await other.verify(holding.lease)).toBe(true);
    const { token: _, ...bare } = holding.lease;
    await expect(other.verify(bare)).rejects.toMatchObject({ code: "STORE_DENIED" });
    expect(await other.release(holding.lease)).toBe("released");
    expect(await other.verify(holding.lease)).toBe(false);
  });

  it("keeps no process running, but its renewal and its release do", async () => {
    const server = await startProcess(["--http-port", "0"]);
    const program = `
      import { openStore } from ${JSON.stringify(OPEN)};
      const store = await openStore("${local(server.httpPort)}");
      const owner = { id: "script", metadata: {} };
      const one = await store.claim({ key: "one", owner });
      const two = await store.claim({ key: "two", owner, lease: 1_500 });
      await one.renew();
      console.log(await one.release());
    `;
    const script = start(process.execPath, ["--input-type=module", "-e", program]);
    expect(await script.ended).toMatchObject({ code: 0, stdout: "released\n" });
    const store = await open(local(server.httpPort));
    await expect.poll(async () => store.list(), PATIENT).toEqual([]);
  });
});

describe("a session that the server no longer knows", () => {
  it("costs a claim that waits its place, which is told and taken anew", async () => {
    const { httpPort, url } = await served();
    const relay = await Relay.start(() => ({}), httpPort);
    const holding = await hold(await open(url), "holder");
    const reports: Progress[] = [];
    const claimed = (await open(relay.url)).claim(request("waiter"), {
      onProgress: (progress) => reports.push(progress),
    });
    await expect.poll(() => reports.length, PATIENT).toBeGreaterThan(0);
    const line = relay.requests.find(({ headers }) => headers.authorization !== undefined);
    const authorization = line?.headers.authorization as string;
    await fetch(`${url}/auth/session`, { method: "DELETE", headers: { authorization } });
    await expect
      .poll(() => reports.some(({ trouble }) => trouble?.includes("joining it again")), PATIENT)
      .toBe(true);
    await expect.poll(() => reports.at(-1)?.trouble, PATIENT).toBeUndefined();
    await holding.release();
    expect(await (await claimed).release()).toBe("released");
  });

  it("costs a stopped process the lock that it was granted in its sleep", async () => {
    const server = await startProcess(["--http-port", "0"]);
    const url = local(server.httpPort);
    const store = await open(url);
    const holding = await hold(store, "holder");
    const program = `
      import { openStore } from ${JSON.stringify(OPEN)};
      const store = await openStore("${url}");
      const owner = { id: "sleeper", metadata: {} };
      const held = await store.claim({ key: "production", owner, lease: 2_000 });
      console.log("fence", held.lease.fence);
      await held.release();
    `;
    const sleeper = start(process.execPath, ["--input-type=module", "-e", program]);
    await expect.poll(async () => (await store.inspect(KEY)).waiting, PATIENT).toBe(1);
    sleeper.kill("SIGSTOP");
    await holding.release();
    const first = (await store.inspect(KEY)).holders[0]?.fence as number;
    await expect.poll(async () => (await store.inspect(KEY)).holders, PATIENT).toEqual([]);
    const between = await hold(store, "between");
    sleeper.kill("SIGCONT");
    await expect.poll(async () => (await store.inspect(KEY)).waiting, PATIENT).toBe(1);
    expect(sleeper.stdout()).toBe("");
    await between.release();
    const { stdout } = await sleeper.ended;
    expect(Number(/fence (\d+)/.exec(stdout)?.[1])).toBeGreaterThan(first);
  });
});
