import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { Admission, addressGroup, admissionLimits } from "../../../src/server/admission.ts";
import { createLogger } from "../../../src/server/log.ts";
import { openStore } from "../../../src/stores/open.ts";
import { parseExposition } from "../../helpers/panel/exposition.ts";
import { connectTo, startProcess } from "../../helpers/server/server.ts";
import { PATIENT } from "../../helpers/waiting.ts";

/** With 128 descriptors there are 64 connections: 16 that have not authenticated, 4 of one address. */
const DESCRIPTORS = 128;
const IDLE = 200;

/**
 * The crowd has an address of its own, where the system has several for itself: a client with the
 * crowd's address may be closed for a newer one before it is heard.
 */
const CROWD = process.platform === "linux" ? { localAddress: "127.0.0.2" } : {};

const idle: Socket[] = [];

afterEach(() => {
  for (const socket of idle.splice(0)) socket.destroy();
});

/** Connections that never say a word. */
async function openIdle(port: number, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const socket = connect({ port, host: "127.0.0.1", ...CROWD });
    socket.on("error", () => {});
    idle.push(socket);
    await once(socket, "connect");
  }
}

/** Such a crowd, and more of it all the time, until the returned function is called. */
function keepOpening(port: number): () => Promise<void> {
  let on = true;
  const done = (async () => {
    while (on) await openIdle(port, 1);
  })();
  return () => {
    on = false;
    return done;
  };
}

async function refusedOf(httpPort: number, token: string | null): Promise<number> {
  const headers: Record<string, string> =
    token === null ? {} : { authorization: `Bearer ${token}` };
  const text = await (await fetch(`http://127.0.0.1:${httpPort}/metrics`, { headers })).text();
  const samples = parseExposition(text).get("holdfast_connections_refused_total")?.samples;
  return [...(samples?.values() ?? [])].reduce((sum, count) => sum + count, 0);
}

describe("a server with few descriptors and a crowd of idle connections", () => {
  it("serves clients with the token through both doors, warns, and counts", async () => {
    const env = { HOLDFAST_AUTH_TOKEN: "secret" };
    const server = await startProcess(["--http-port", "0"], env, { n: DESCRIPTORS });
    const httpPort = server.httpPort as number;
    const holder = await connectTo(server.port);
    expect(await holder.ask("auth\n_\nsecret\n")).toBe("ok");
    const token = await holder.take("production");
    await openIdle(server.port, IDLE);
    await openIdle(httpPort, IDLE);
    const stop = keepOpening(server.port);
    for (const url of [`tcp://127.0.0.1:${server.port}`, `http://127.0.0.1:${httpPort}`]) {
      const store = await openStore(url, { token: "secret" });
      const holding = await store.claim({ key: "staging", owner: { id: "client", metadata: {} } });
      expect(await holding.release()).toBe("released");
      await store.close();
    }
    await stop();
    expect(await refusedOf(httpPort, "secret")).toBeGreaterThanOrEqual(2 * IDLE - 16);
    // The one that authenticated before the crowd came is still here, and so is its lock.
    await holder.free("production", token);
    await expect
      .poll(() => server.stderr(), PATIENT)
      .toMatch(/warn {2}connection refused .*reason=address/);
    expect(server.stderr()).not.toContain("accept failed");
  });

  it("without a token serves clients that send a request", async () => {
    const server = await startProcess(["--http-port", "0"], {}, { n: DESCRIPTORS });
    const holder = await connectTo(server.port);
    const token = await holder.take("production");
    await openIdle(server.port, IDLE);
    const client = await connectTo(server.port);
    await client.free("staging", await client.take("staging"));
    expect(await refusedOf(server.httpPort as number, null)).toBeGreaterThan(0);
    await holder.free("production", token);
    expect(server.stderr()).toMatch(/warn {2}connection refused .*reason=descriptors/);
    expect(server.stderr()).not.toContain("accept failed");
  });
});

/** What admission sees of a socket. */
function socketOf(remoteAddress: string, remotePort: number) {
  const closed: (() => void)[] = [];
  const socket = {
    remoteAddress,
    remotePort,
    localPort: 6_388,
    destroyed: false,
    once: (_: string, listener: () => void) => closed.push(listener),
    destroy() {
      socket.destroyed = true;
      for (const listener of closed.splice(0)) listener();
    },
  };
  return socket as unknown as Socket;
}

describe("admission", () => {
  const lines: string[] = [];
  const output = (line: string) => lines.push(line);
  const log = createLogger({ level: "info", format: "text", now: () => 0, output });

  it("closes the oldest newcomer of an address that has too many, and no other", () => {
    const admission = new Admission({ total: 100, unauthenticated: 50, perAddress: 3 }, log);
    const other = socketOf("10.0.0.2", 1);
    admission.admit(other);
    const crowd = [1, 2, 3, 4, 5].map((port) => socketOf("10.0.0.1", port));
    for (const socket of crowd) expect(admission.admit(socket)).toBe(true);
    expect(crowd.map(({ destroyed }) => destroyed)).toEqual([true, true, false, false, false]);
    expect(other.destroyed).toBe(false);
    expect(admission.refusals).toMatchObject({ address: 2, unauthenticated: 0 });
    expect(admission.unproven).toBe(4);
  });

  it("closes the oldest newcomer of all where many addresses have few each", () => {
    const admission = new Admission({ total: 100, unauthenticated: 3, perAddress: 2 }, log);
    const crowd = [1, 2, 3, 4].map((number) => socketOf(`10.0.0.${number}`, 1));
    for (const socket of crowd) admission.admit(socket);
    expect(crowd.map(({ destroyed }) => destroyed)).toEqual([true, false, false, false]);
    expect(admission.refusals.unauthenticated).toBe(1);
  });

  it("never closes one that has proven itself, and refuses the newcomer where all have", () => {
    const admission = new Admission({ total: 3, unauthenticated: 2, perAddress: 2 }, log);
    const known = [1, 2, 3].map((port) => socketOf("10.0.0.1", port));
    for (const socket of known) {
      expect(admission.admit(socket)).toBe(true);
      admission.prove(socket);
    }
    const late = socketOf("10.0.0.2", 1);
    expect(admission.admit(late)).toBe(false);
    expect(late.destroyed).toBe(true);
    expect(admission.refusals.descriptors).toBe(1);
    known[0]?.destroy();
    expect(admission.admit(socketOf("10.0.0.2", 2))).toBe(true);
    expect(known.slice(1).every(({ destroyed }) => !destroyed)).toBe(true);
  });

  it("leaves descriptors for the server itself", () => {
    expect(admissionLimits(1_024, true)).toEqual({
      total: 960,
      unauthenticated: 240,
      perAddress: 60,
    });
    expect(admissionLimits(40, true)).toEqual({ total: 20, unauthenticated: 5, perAddress: 4 });
    expect(admissionLimits(1_024, false)).toMatchObject({ total: 960, perAddress: Infinity });
  });

  it.each([
    ["10.1.2.3", "10.1.2.3"],
    ["::ffff:10.1.2.3", "10.1.2.3"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:db8:1:2::6", "2001:db8:1:2::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
  ])("counts %s as %s", (address, group) => {
    expect(addressGroup(address)).toBe(group);
  });
});
