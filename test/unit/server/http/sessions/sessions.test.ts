import { describe, expect, it } from "vitest";
import { HttpClient } from "../../../../helpers/server/http-client.ts";
import { openDoor } from "../../../../helpers/server/http-door.ts";
import { beginPut, statusOf } from "../../../../helpers/server/http-raw.ts";
import { adopt, startHttp } from "../../../../helpers/server/http-server.ts";
import { PATIENT } from "../../../../helpers/waiting.ts";

describe("a session", () => {
  it("is known by Bearer or by cookie", async () => {
    const { session, plain } = await startHttp();
    const { id } = await session();
    const ways = [
      { authorization: `Bearer ${id}` },
      { authorization: `bearer  ${id}` },
      { cookie: `hengdang_session=${id}` },
      { cookie: `theme=dark; hengdang_session=${id}; lang=en` },
    ];
    for (const headers of ways) {
      expect((await adopt(plain.with(headers)).acquire("/k")).status).toBe(200);
    }
  });

  it.each([
    ["no session", {}],
    ["a made-up id", { authorization: `Bearer ${"a".repeat(64)}` }],
    ["an id of another form", { authorization: "Bearer ../../etc/passwd" }],
    ["another scheme", { authorization: `Basic ${"a".repeat(64)}` }],
    ["an empty cookie", { cookie: "hengdang_session=" }],
    ["a cookie of another name", { cookie: `session=${"a".repeat(64)}` }],
  ])("that is %s gets 401 for everything", async (_, headers) => {
    const { port, session } = await startHttp();
    await (await session()).put("/k", "x");
    const stranger = adopt(new HttpClient(port, headers));
    const answers = [
      await stranger.acquire("/k"),
      await stranger.status("/k"),
      await stranger.release("/k"),
      await stranger.ask("/k"),
      await stranger.put("/k", "y"),
      await stranger.remove("/k"),
      await stranger.ask("/auth/session"),
      await stranger.remove("/auth/session"),
    ];
    for (const answer of answers) {
      expect(answer.status).toBe(401);
      expect(answer.json).toEqual({ error: "Unauthorized", message: expect.any(String) });
      expect(answer.headers["www-authenticate"]).toBe('Bearer realm="holdfast"');
    }
  });

  it("is not found by its digest or its upper-case id", async () => {
    const { session, plain } = await startHttp();
    const { id } = await session();
    const { createHash } = await import("node:crypto");
    const digest = createHash("sha256").update(id).digest("hex");
    for (const forged of [digest, id.toUpperCase(), `${id} `.repeat(2)]) {
      const client = adopt(plain.with({ authorization: `Bearer ${forged}` }));
      expect((await client.ask("/auth/session")).status).toBe(401);
    }
  });

  it("lives on by each use, and ends when nobody uses it", async () => {
    const { session, clock, door } = await openDoor();
    const one = await session({ ttl: 100 });
    for (let round = 0; round < 5; round += 1) {
      clock.pass(99);
      const { status, json } = await one.ask("/auth/session");
      expect(status).toBe(200);
      expect(json).toMatchObject({ lastUsed: clock.now(), expiresAt: clock.now() + 100_000 });
    }
    clock.pass(100);
    expect((await one.ask("/auth/session")).status).toBe(401);
    expect(door.sessions).toBe(0);
  });

  it("that waits is in use", async () => {
    const { session, clock, table } = await openDoor();
    const [one, other] = [await session(), await session({ ttl: 2 })];
    await one.acquire("/k");
    const waiting = other.acquire("/k", "&wait=30");
    await expect.poll(() => table.waiting, PATIENT).toBe(1);
    clock.pass(25);
    // Several rounds of looking for sessions that ran out.
    await new Promise((resolve) => setTimeout(resolve, 800));
    await one.release("/k");
    expect((await waiting).status).toBe(200);
    expect((await other.release("/k")).status).toBe(200);
  });

  it("that ends gives its locks to those who wait for them", async () => {
    const { session, table } = await openDoor();
    const [one, other] = [await session(), await session()];
    await one.acquire("/k");
    const waiting = other.acquire("/k", "&wait=30");
    await expect.poll(() => table.waiting, PATIENT).toBe(1);
    await one.remove("/auth/session");
    expect((await waiting).json).toMatchObject({ message: "Lock acquired" });
  });

  it("that ends while it waits is told so, and leaves the line", async () => {
    const { session, table } = await openDoor();
    const [one, other] = [await session(), await session()];
    await one.acquire("/k");
    const waiting = other.acquire("/k", "&wait=30");
    await expect.poll(() => table.waiting, PATIENT).toBe(1);
    expect((await other.remove("/auth/session")).status).toBe(204);
    expect((await waiting).status).toBe(401);
    expect(table.waiting).toBe(0);
  });

  it("that is sending a file is in use", async () => {
    const { session, clock, port, table } = await openDoor();
    const one = await session({ ttl: 2 });
    const { socket, answer } = await beginPut(port, "/f", one.id, 5);
    socket.write("hel");
    clock.pass(25);
    await new Promise((resolve) => setTimeout(resolve, 800));
    socket.write("lo");
    expect(statusOf(await answer)).toBe(201);
    expect((await one.ask("/f")).text).toBe("hello");
    expect(table.held).toBe(0);
  });

  it("that ends while it sends a file does not write it", async () => {
    const { session, port, table } = await openDoor();
    const [one, other] = [await session(), await session()];
    const { socket, answer } = await beginPut(port, "/f", one.id, 5);
    socket.write("hel");
    await one.remove("/auth/session");
    socket.write("lo");
    expect(statusOf(await answer)).toBe(401);
    expect((await other.ask("/f")).status).toBe(404);
    expect(table.held).toBe(0);
  });

  it("takes its cookie back when it is deleted", async () => {
    const { session } = await startHttp();
    const answer = await (await session()).remove("/auth/session");
    expect(answer.headers["set-cookie"]?.[0]).toMatch(/^hengdang_session=; .*Max-Age=0/);
    expect(answer.text).toBe("");
  });

  it("is named in the log by what may be shown", async () => {
    const { session, log } = await openDoor();
    const one = await session({ owner: "deploy-1" });
    await one.remove("/auth/session");
    expect(log()).toContain(`session opened session="${one.name}"`);
    expect(log()).not.toContain(one.id);
  });
});
