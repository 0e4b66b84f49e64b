import { describe, expect, it } from "vitest";
import type { KeyJson } from "../../../../../src/server/observers/describe.ts";
import { encodeWireKey } from "../../../../../src/wire/key.ts";
import { fenceOf } from "../../../../../src/wire/token.ts";
import { startPanel } from "../../../../helpers/panel/panel.ts";
import { PATIENT } from "../../../../helpers/waiting.ts";

const ANY_KEYS = "a/b ../x .. a//b /x x/ 50% schlüssel %2F ?#& 🔑".split(" ").concat("a b");
const EMPTY = { slots: 1, resources: null, frozenSlots: [], holders: [], waiting: 0, waiters: [] };

describe("GET /admin/locks", () => {
  it("of a server that nobody uses is an empty list, and says what server that is", async () => {
    const server = await startPanel();
    const response = await server.ask("/admin/locks");
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.get("content-type")).toMatch(/^application\/json/);
    const { locks, server: about } = (await response.json()) as Record<string, unknown>;
    expect(locks).toEqual([]);
    expect(about).toEqual({
      name: "holdfast",
      version: "1.2.3",
      startedAt: expect.any(String),
      access: "full",
    });
  });

  it("shows a holder of the TCP door with everything that is known, and no token", async () => {
    const server = await startPanel();
    const metadata = { hostname: "runner-3", process_id: 4711, run_url: "https://ci.example/1" };
    const holder = await server.keeper("ci-1", "v1.2.3", metadata);
    const token = await holder.take("production", { lease: 60 });
    const text = await (await server.ask("/admin/locks")).text();
    expect(text).not.toContain(token);
    const [lock] = JSON.parse(text).locks as [KeyJson];
    expect(lock).toMatchObject({ key: "production", slots: 1, waiting: 0, waiters: [] });
    const [shown] = lock.holders;
    expect(shown).toEqual({
      owner: "ci-1",
      who: "ci-1",
      since: expect.any(String),
      ttl: 60,
      fence: fenceOf(token),
      slot: 0,
      weight: 1,
      slots: [0],
      resources: null,
      pid: 4711,
      host: "runner-3",
      alive: true,
      note: "v1.2.3",
      metadata,
      heartbeat: shown?.since,
      expiresAt: Date.parse(shown?.since as string) + 60_000,
      door: "tcp",
    });
  });

  it("shows holders of both doors, and those in line in their order", async () => {
    const server = await startPanel();
    const session = await server.session("by-hand");
    expect((await server.lock(session, "db", "acquire")).status).toBe(200);
    const [second, nameless] = [await server.keeper("ci-2", "hotfix"), await server.connect()];
    second.send("l\ndb\n60\n");
    await expect.poll(async () => (await server.key("db")).waiting, PATIENT).toBe(1);
    nameless.send("l\ndb\n60\n");
    await expect.poll(async () => (await server.key("db")).waiting, PATIENT).toBe(2);
    const lock = await server.key("db");
    expect(lock.holders).toMatchObject([{ owner: "by-hand", door: "http", alive: true }]);
    expect(lock.waiters).toEqual([
      {
        owner: "ci-2",
        who: "ci-2",
        since: expect.any(String),
        position: 1,
        weight: 1,
        priority: 0,
        ready: true,
        note: "hotfix",
        metadata: {},
      },
      expect.objectContaining({ owner: expect.stringMatching(/^connection-\d+$/), position: 2 }),
    ]);
    expect(JSON.stringify(await server.locks())).not.toContain(session);
  });

  it("calls a session without an owner by its public name", async () => {
    const server = await startPanel();
    const session = await server.session();
    await server.lock(session, "a", "acquire");
    const [holder] = (await server.key("a")).holders;
    expect(holder?.owner).toMatch(/^session-/);
    const name = holder?.owner ?? "";
    expect(session).not.toContain(name.slice("session-".length));
  });

  it("shows slots, each with its holder", async () => {
    const server = await startPanel();
    const client = await server.connect();
    await client.take("farm", { limit: 3 });
    await client.take("farm", { limit: 3 });
    const [lock] = await server.locks();
    expect(lock).toMatchObject({ key: "farm", slots: 3 });
    expect(lock?.holders.map(({ slot }) => slot)).toEqual([0, 1]);
  });

  it("leaves free keys out, unless all are asked for", async () => {
    const server = await startPanel();
    const client = await server.connect();
    await client.free("once", await client.take("once"));
    expect(await server.locks()).toEqual([]);
    const all = await server.json("/admin/locks?all=1");
    expect(all).toMatchObject({ locks: [{ key: "once", ...EMPTY }] });
  });

  it("tells the first 20 of a long line, and all of them where one key is asked for", async () => {
    const server = await startPanel();
    const holder = await server.connect();
    await holder.take("k");
    for (let index = 0; index < 30; index += 1) (await server.connect()).send("l\nk\n600\n");
    await expect.poll(async () => (await server.key("k")).waiting, PATIENT).toBe(30);
    expect((await server.key("k")).waiters).toHaveLength(30);
    const [lock] = await server.locks();
    expect(lock?.waiters.map(({ position }) => position)).toEqual(
      Array.from({ length: 20 }, (_, index) => index + 1),
    );
  });
});

describe("a listing of more than anybody reads", () => {
  it("is cut, and says how many locks are left out", async () => {
    const server = await startPanel({ "max-locks": "0" });
    const client = await server.keeper("many");
    const count = 10_050;
    client.send(Array.from({ length: count }, (_, index) => `l\nk-${index}\n0\n`).join(""));
    for (let index = 0; index < count; index += 1) await client.line();
    const { locks, leftOut } = await server.json<{ locks: KeyJson[]; leftOut: number }>(
      "/admin/locks",
    );
    expect(locks).toHaveLength(10_000);
    expect(leftOut).toBe(50);
    expect((await server.key(`k-${count - 1}`)).holders).toHaveLength(1);
  });
});

describe("a key in the path", () => {
  it("that nobody ever used is free", async () => {
    const server = await startPanel();
    expect(await server.key("unknown")).toEqual({ key: "unknown", ...EMPTY });
  });

  it("may be any key", async () => {
    const server = await startPanel();
    const holder = await server.keeper("me");
    for (const key of ANY_KEYS) {
      await holder.take(encodeWireKey(key));
      const inQuery = await server.json(`/admin/locks?key=${encodeURIComponent(key)}`);
      expect(inQuery).toMatchObject({ key, holders: [{ owner: "me" }] });
      // A client's URL parser takes `..` for a way up, whatever its encoding: hence `?key=`.
      if (key !== "..") expect(await server.key(key)).toEqual(inQuery);
    }
    expect((await server.locks()).map(({ key }) => key)).toEqual(ANY_KEYS);
  });

  it("may be given as a path of several segments", async () => {
    const server = await startPanel();
    await (await server.keeper("me")).take("eu/west/1");
    expect(await server.json("/admin/locks/eu/west/1")).toMatchObject({ key: "eu/west/1" });
  });

  it("that another client made is shown as it came, and leads back to that lock alone", async () => {
    const server = await startPanel();
    await (await server.keeper("theirs")).take("a%2Fb");
    await (await server.keeper("ours")).take("a/b");
    expect((await server.locks()).map(({ key }) => key)).toEqual(["a%2Fb", "a/b"]);
    expect((await server.key("a/b")).holders).toMatchObject([{ owner: "ours" }]);
    expect((await server.key("a%2Fb")).holders).toMatchObject([{ owner: "theirs" }]);
  });

  it("is refused where it is not clear", async () => {
    const server = await startPanel();
    const requests = [
      ["/admin/locks/a?key=b", "more than once"],
      ["/admin/locks?key=a&key=b", "more than once"],
      ["/admin/locks?key=", "empty"],
      ["/admin/history", "which key"],
      ["/admin/history/a?limit=0", "limit"],
      ["/admin/history/a?limit=x", "limit"],
    ] as const;
    for (const [path, words] of requests) {
      const response = await server.ask(path);
      expect(response.status, path).toBe(400);
      const message = expect.stringContaining(words);
      expect(await response.json()).toEqual({ error: expect.any(String), message });
    }
  });
});
