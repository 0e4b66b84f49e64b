import { describe, expect, it } from "vitest";
import { startPanel } from "../../../../helpers/panel/panel.ts";
import { openDoor } from "../../../../helpers/server/http-door.ts";
import { startHttp } from "../../../../helpers/server/http-server.ts";
import { Restartable } from "../../../../helpers/server/restartable.ts";
import { PATIENT } from "../../../../helpers/waiting.ts";

const FREEZE = "/admin/freezes/k?reason=incident&owner=ann";

describe("a frozen key", () => {
  it("is given to nobody at either door, and its holder goes on", async () => {
    const { session, server, plain } = await startHttp();
    const [holder, other, tcp] = [await session(), await session(), await server.connect()];
    await holder.acquire("/k");
    const frozen = await plain.ask(FREEZE, { method: "PUT" });
    expect(frozen.status).toBe(200);
    expect(frozen.json).toMatchObject({
      key: "k",
      frozen: { by: "ann", reason: "incident", until: null },
    });
    expect((await holder.refresh("/k")).status).toBe(200);
    expect((await holder.put("/k", "x")).status).toBe(201);
    const refused = await other.acquire("/k");
    expect([refused.status, refused.json.frozen]).toEqual([423, frozen.json.frozen]);
    expect(refused.json).toMatchObject({ lockedBy: null, message: /frozen by ann.*incident/ });
    expect((await other.put("/k", "y")).status).toBe(423);
    expect(await tcp.ask("l\nk\n0\n")).toBe("timeout");
    expect((await tcp.stats()).locks).toMatchObject([
      { key: "k", owner_conn_id: 0, waiters: 0, frozen: { by: "ann" } },
    ]);
    // Also with other slots than it had: nobody holds it or waits for it.
    expect((await other.acquire("/k", "&slots=3")).status).toBe(423);

    tcp.send("l\nk\n60\n");
    await expect.poll(async () => (await other.status("/k")).json.waiting, PATIENT).toBe(1);
    const waiting = other.acquire("/k", "&wait=60");
    await expect.poll(async () => (await holder.status("/k")).json.waiting, PATIENT).toBe(2);
    const thawed = await plain.ask("/admin/freezes/k?owner=bob", { method: "DELETE" });
    expect(thawed.json.thawed).toEqual(frozen.json.frozen);
    expect(await tcp.line()).toMatch(/^ok /);
    tcp.hangUp();
    expect((await waiting).status).toBe(200);
    const again = await plain.ask("/admin/freezes/k", { method: "DELETE" });
    expect([again.status, again.json]).toEqual([200, { key: "k", thawed: null }]);
  });

  it("is thawed by its time, by the wall clock, and then serves its line in order", async () => {
    const { table, clock, session } = await openDoor();
    const since = new Date(clock.now()).toISOString();
    const until = new Date(clock.now() + 5_000).toISOString();
    table.freeze("k", { by: "ann", reason: "incident", since, until });
    const one = await session();
    const waiting = one.acquire("/k", "&wait=60");
    await expect.poll(() => table.waiting, PATIENT).toBe(1);
    clock.pass(4.9);
    table.sweep();
    expect(table.waiting).toBe(1);
    clock.pass(0.2);
    table.sweep();
    expect((await waiting).status).toBe(200);
    expect(table.find("k")?.freeze).toBeNull();
  });

  it("ends for a claim that does not wait at the moment that was told, not with a sweep", async () => {
    const { table, clock, session } = await openDoor();
    const since = new Date(clock.now()).toISOString();
    const until = new Date(clock.now() + 5_000).toISOString();
    table.freeze("k", { by: "ann", reason: "incident", since, until });
    const one = await session();
    expect((await one.acquire("/k")).status).toBe(423);
    clock.pass(5);
    expect((await one.acquire("/k")).status).toBe(200);
  });

  it("is listed though it is free, is not forgotten, and is told live", async () => {
    const server = await startPanel({ "gc-interval": "0.01", "gc-max-idle": "0" });
    await server.ask("/admin/freezes?key=..%2Fx&reason=why&for=3600000", { method: "PUT" });
    await expect.poll(async () => (await server.locks()).length, PATIENT).toBe(1);
    const [lock] = await server.locks();
    expect(lock).toMatchObject({ key: "../x", holders: [], frozen: { by: "operator" } });
    const { since = "", until } = lock?.frozen ?? {};
    expect(Date.parse(until ?? "") - Date.parse(since)).toBe(3_600_000);
    const second = "/admin/freezes?key=..%2Fx&reason=audit&owner=bob";
    await server.ask(second, { method: "PUT" });
    await server.ask("/admin/freezes?key=..%2Fx&owner=carol", { method: "DELETE" });
    await expect.poll(async () => (await server.locks()).length, PATIENT).toBe(0);
    const { freezes } = await server.json<{ freezes: object[] }>("/admin/history?key=..%2Fx");
    expect(freezes).toMatchObject([
      { by: "bob", reason: "audit", endedBy: "carol" },
      { by: "operator", reason: "why", endedBy: "bob" },
    ]);
    expect(server.printed.log).toMatch(/frozen key="?\.\.\/x"? by=operator reason=why/);
    expect(server.printed.log).toMatch(/thawed key="?\.\.\/x"? by=carol frozen_by=bob/);
  });

  it.each([
    ["PUT", "/admin/freezes/k", 400, /only for a reason/],
    ["PUT", "/admin/freezes?reason=x", 400, /which key/],
    ["PUT", "/admin/freezes/k?reason=x&for=0", 400, /for must be a whole number from 1/],
    ["PUT", "/admin/freezes/k?reason=x&for=soon", 400, /for must be a whole number/],
    ["PUT", `/admin/freezes/k?reason=${"x".repeat(1_001)}`, 400, /use at most 1000/],
    ["PUT", "/admin/freezes?key=a%0Ab&reason=x", 400, /on one line/],
    ["POST", "/admin/freezes/k?reason=x", 405, /use PUT, DELETE/],
    ["GET", "/admin/freezes/k", 405, /use PUT, DELETE/],
  ])("is asked for properly: %s %s is %i", async (method, path, status, message) => {
    const server = await startPanel();
    const response = await server.ask(path, { method });
    expect(response.status).toBe(status);
    expect(((await response.json()) as { message: string }).message).toMatch(message);
    expect(await server.locks()).toEqual([]);
  });
});

it.each(["SIGKILL", "SIGTERM"] as const)("a freeze outlives %s, with its line", async (signal) => {
  const server = await Restartable.start(["--http-port", "0"]);
  const admin = (path: string, method = "GET") =>
    fetch(`http://127.0.0.1:${server.httpPort}/admin/${path}`, { method }).then(
      (answer) =>
        // biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever came.
        answer.json() as Promise<any>,
    );
  const { frozen } = await admin("freezes/k?reason=incident&owner=ann&for=600000", "PUT");
  await admin("freezes/done?reason=over&owner=ann", "PUT");
  await admin("freezes/done?owner=bob", "DELETE");
  await server.restart(signal);
  expect((await admin("locks/k")).frozen).toEqual(frozen);
  expect((await admin("history/done")).freezes).toMatchObject([{ by: "ann", endedBy: "bob" }]);
  const client = await server.keeper("ci-1");
  expect(await client.ask("l\nk\n0\n")).toBe("timeout");
  expect((await admin("freezes/k?owner=bob", "DELETE")).thawed).toEqual(frozen);
  await server.restart(signal);
  expect((await admin("locks/k")).frozen).toBeUndefined();
  await server.end();
});
