import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { TableLocks } from "../../../../src/server/http/panel/table-locks.ts";
import { History } from "../../../../src/server/memory/history.ts";
import { Events } from "../../../../src/server/observers/events.ts";
import { LockTable } from "../../../../src/server/table/table.ts";
import { openStore } from "../../../../src/stores/open.ts";
import { createTokenMaker } from "../../../../src/wire/token.ts";
import { startPanel } from "../../../helpers/panel/panel.ts";
import { EventStream } from "../../../helpers/panel/stream.ts";
import { PATIENT } from "../../../helpers/waiting.ts";

describe("GET /admin/events", () => {
  it("begins with the state, then tells what is taken, queued, handed on and freed", async () => {
    const server = await startPanel();
    const holder = await server.keeper("ci-1", "v1");
    const token = await holder.take("production");
    const stream = await EventStream.open(`${server.address}/admin/events`);
    expect(stream.response.status).toBe(200);
    expect(stream.response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(stream.response.headers.get("cache-control")).toBe("no-store");
    await stream.until(() => stream.events.length === 1);
    expect(stream.events[0]).toMatchObject({
      name: "state",
      keys: [{ key: "production", holders: [{ owner: "ci-1", note: "v1" }], waiting: 0 }],
    });

    const next = await server.keeper("ci-2");
    next.send("l\nproduction\n60\n");
    await stream.until(() => stream.locks.get("production")?.waiting === 1);
    expect(stream.locks.get("production")?.waiters).toMatchObject([{ owner: "ci-2", position: 1 }]);

    await holder.free("production", token);
    await next.line();
    await stream.until(() => stream.locks.get("production")?.holders[0]?.owner === "ci-2");
    expect(stream.locks.get("production")).toMatchObject({ waiting: 0, waiters: [] });

    next.hangUp();
    await stream.until(() => !stream.locks.has("production"));
    expect(stream.events.at(-1)?.keys).toMatchObject([{ key: "production", holders: [] }]);
    expect(stream.events.slice(1).every(({ name }) => name === "change")).toBe(true);
  });

  it("tells of HTTP sessions as of connections", async () => {
    const server = await startPanel();
    const stream = await EventStream.open(`${server.address}/admin/events`);
    const session = await server.session("by-hand");
    await server.lock(session, "db", "acquire");
    await stream.until(() => stream.locks.get("db")?.holders[0]?.owner === "by-hand");
    await server.lock(session, "db", "release");
    await stream.until(() => !stream.locks.has("db"));
  });

  it("tells when a claim in line has become ready", async () => {
    const server = await startPanel();
    await (await server.keeper("ci-1")).take("k");
    const store = await openStore(server.address);
    const place = await store.join?.({ key: "k", owner: { id: "early", metadata: {} } });
    const stream = await EventStream.open(`${server.address}/admin/events`);
    await stream.until(() => stream.locks.get("k")?.waiters[0]?.ready === false);
    const over = new AbortController();
    const taken = place?.take({ signal: over.signal });
    await stream.until(() => stream.locks.get("k")?.waiters[0]?.ready === true);
    over.abort();
    await expect(taken).rejects.toMatchObject({ code: "ABORTED" });
    await store.close();
  });

  it("comes at most four times a second, and ends with what is true", async () => {
    const server = await startPanel();
    const stream = await EventStream.open(`${server.address}/admin/events`);
    await stream.until(() => stream.events.length === 1);
    const client = await server.keeper("busy");
    const began = performance.now();
    let rounds = 0;
    while (performance.now() - began < 2_000) {
      await client.free("hot", await client.take("hot"));
      rounds += 1;
    }
    await client.take("hot");
    const last = (await server.key("hot")).holders[0]?.fence;
    await stream.until(() => stream.locks.get("hot")?.holders[0]?.fence === last);
    const seconds = (performance.now() - began) / 1_000;
    expect(rounds).toBeGreaterThan(50);
    expect(stream.events.length - 1).toBeLessThanOrEqual(Math.ceil(seconds * 4) + 1);
  });

  it("keeps up with 1,000 keys that all change", async () => {
    const server = await startPanel({ "max-locks": "0" });
    const streams = await Promise.all(
      Array.from({ length: 3 }, () => EventStream.open(`${server.address}/admin/events`)),
    );
    const client = await server.keeper("many");
    const keys = Array.from({ length: 1_000 }, (_, index) => `service-${index}`);
    client.send(keys.map((key) => `l\n${key}\n0\n`).join(""));
    for (const stream of streams) await stream.until(() => stream.locks.size === 1_000);
    const late = await EventStream.open(`${server.address}/admin/events`);
    await late.until(() => late.locks.size === 1_000);
    client.hangUp();
    for (const stream of [...streams, late]) await stream.until(() => stream.locks.size === 0);
  });

  it("of more keys than one event holds come in several", async () => {
    const server = await startPanel({ "max-locks": "0" });
    const client = await server.keeper("many");
    const keys = Array.from({ length: 4_500 }, (_, index) => `service-${index}`);
    client.send(keys.map((key) => `l\n${key}\n0\n`).join(""));
    for (const _ of keys) await client.line();
    const stream = await EventStream.open(`${server.address}/admin/events`);
    await stream.until(() => stream.locks.size === keys.length);
    expect(Math.max(...stream.events.map(({ keys }) => keys.length))).toBeLessThanOrEqual(2_000);
  });

  it("has room for 100 readers, and for the next when one goes", async () => {
    const server = await startPanel();
    const url = `${server.address}/admin/events`;
    const streams = await Promise.all(Array.from({ length: 100 }, () => EventStream.open(url)));
    for (const stream of streams) expect(stream.response.status).toBe(200);
    const refused = await fetch(url);
    expect(refused.status).toBe(503);
    expect(refused.headers.get("retry-after")).toBe("10");
    expect(await refused.json()).toMatchObject({ error: "Too many listeners" });
    streams[0]?.close();
    await expect.poll(async () => (await EventStream.open(url)).response.status, PATIENT).toBe(200);
  });

  it("ends when the server stops, which does not wait for its readers", async () => {
    const server = await startPanel();
    const stream = await EventStream.open(`${server.address}/admin/events`);
    await stream.until(() => stream.events.length === 1);
    const stopped = server.running.stop();
    await expect.poll(() => stream.ended, PATIENT).toBe(true);
    await stopped;
  });
});

describe("a reader that is slow", () => {
  const servers: Server[] = [];
  const sockets: Socket[] = [];

  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
  });

  /** The events alone, with shorter times, on a real server. */
  async function start(times: { heartbeat: number; patience: number }) {
    const clock = { now: () => Date.now(), monotonic: () => performance.now() };
    const events = new Events({ monotonic: clock.monotonic, ...times });
    const makeToken = createTokenMaker();
    const table = new LockTable({
      clock,
      makeToken,
      maxLocks: 0,
      maxWaiters: 0,
      observer: events,
    });
    const server = createServer((_, response) =>
      events.open(new TableLocks({ ...clock, table, history: new History() })).stream(response),
    );
    servers.push(server);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const party = table.admit({ granted() {}, ended() {} });
    party.introduction = { owner: { id: "x".repeat(250), metadata: {} }, note: "n".repeat(900) };
    let round = 0;
    /** So much that no socket's buffer holds it. */
    function change(): void {
      round += 1;
      for (const claim of party.claims()) table.release(claim.entry.key, claim.token);
      for (let index = 0; index < 1_500; index += 1) table.claim(party, `k-${index}`, 1, 1e9);
      table.claim(party, `round-${round}`, 1, 1e9);
    }
    return { events, table, port, change, round: () => `round-${round}` };
  }

  async function openRaw(port: number): Promise<Socket> {
    const socket = connect(port, "127.0.0.1");
    sockets.push(socket);
    socket.on("error", () => {});
    await once(socket, "connect");
    socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    return socket;
  }

  it("is dropped when it takes nothing, while others are served", async () => {
    const { events, port, change, round } = await start({ heartbeat: 100, patience: 500 });
    const stuck = await openRaw(port);
    stuck.pause();
    const stream = await EventStream.open(`http://127.0.0.1:${port}/`);
    await expect.poll(() => events.listeners, PATIENT).toBe(2);
    // Goes on until the kernel's buffers are full and patience is at its end.
    for (let tries = 0; events.listeners === 2 && tries < 400; tries += 1) {
      change();
      await stream.until(() => stream.locks.has(round()));
    }
    expect(events.listeners).toBe(1);
    expect(stream.ended).toBe(false);
  });

  it("gets the whole state once it reads again, not everything that it missed", async () => {
    const { events, port, change, round } = await start({ heartbeat: 100, patience: 60_000 });
    const slow = await openRaw(port);
    slow.pause();
    const stream = await EventStream.open(`http://127.0.0.1:${port}/`);
    await expect.poll(() => events.listeners, PATIENT).toBe(2);
    const rounds = 24;
    for (let times = 0; times < rounds; times += 1) {
      change();
      await stream.until(() => stream.locks.has(round()));
    }
    let text = "";
    slow.setEncoding("utf8");
    slow.on("data", (chunk) => {
      text += chunk;
    });
    slow.resume();
    const last = JSON.stringify(round());
    await expect.poll(() => text.includes(last), PATIENT).toBe(true);
    const names = text.match(/^event: \w+$/gm) ?? [];
    expect(names.filter((name) => name === "event: state").length).toBeGreaterThanOrEqual(2);
    expect(names.length).toBeLessThan(rounds);
  });

  it("on a quiet server hears now and then that it is still there", async () => {
    const { port } = await start({ heartbeat: 50, patience: 500 });
    const stream = await EventStream.open(`http://127.0.0.1:${port}/`);
    await stream.until(() => stream.events.filter(({ name }) => name === null).length >= 3);
  });
});
