import { describe, expect, it } from "vitest";
import type { Progress } from "../../../../src/lock/store.ts";
import type { KeyJson } from "../../../../src/server/observers/describe.ts";
import { Relay } from "../../../helpers/http/relay.ts";
import { local, served } from "../../../helpers/http/served.ts";
import { start } from "../../../helpers/processes.ts";
import { startProcess } from "../../../helpers/server/server.ts";
import { Network } from "../../../helpers/tcp/network.ts";
import { hold, KEY, open, request } from "../../../helpers/tcp/support.ts";
import { PATIENT } from "../../../helpers/waiting.ts";
import { HTTP } from "../remote/doors.ts";
import { cutTests, holderTests, OPEN } from "../remote/faults.ts";

describe("the network between holder and server is cut, without a FIN", () => cutTests(HTTP));

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
    // A grant passes over a client that is not there: it is back when it asks again.
    const inLine = async () => {
      const answer = await fetch(`${url}/admin/locks/${encodeURIComponent(KEY)}`);
      const { waiters } = (await answer.json()) as KeyJson;
      return waiters.map(({ owner, absent }) => (absent ? `${owner}, absent` : owner));
    };
    await expect.poll(inLine, PATIENT).toEqual(["first", "second"]);
    await holding.release();
    expect(await (await first).release()).toBe("released");
    expect(await (await second).release()).toBe("released");
  });
});

describe("a grant whose answer was long on its way", () => {
  it("is proven, and proven again where the proof was, too", async () => {
    const { httpPort } = await served();
    const slowness: Record<string, number[]> = { acquire: [1_500], refresh: [3_500] };
    const relay = await Relay.start((line) => {
      const word = /lock=(\w+)/.exec(line)?.[1] ?? "";
      const slow = slowness[word]?.shift();
      return slow === undefined ? {} : { slow };
    }, httpPort);
    const holding = await hold(await open(relay.url), "late", { deadAfter: 6_000 });
    expect(relay.requests.filter(({ line }) => line.includes("lock=refresh"))).toHaveLength(2);
    expect(await holding.release()).toBe("released");
  });
});

describe("a holder", () => {
  holderTests(HTTP);

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
});

describe("a session that the server no longer knows", () => {
  it("is no missing token for a claim that does not wait", async () => {
    const { httpPort } = await served();
    const relay = await Relay.start((line) => {
      if (!line.includes("lock=acquire")) return {};
      return { status: 401, body: { error: "Unauthorized", message: "No such session" } };
    }, httpPort);
    const claim = (await open(relay.url)).claim(request("hasty"), { timeout: 0 });
    await expect(claim).rejects.toMatchObject({
      code: "STORE_UNREACHABLE",
      message: expect.stringContaining("no longer knows this claim"),
    });
  });

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
      const held = await store.claim({ key: "production", owner, deadAfter: 2_000 });
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
