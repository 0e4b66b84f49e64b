import { describe, expect, it } from "vitest";
import { openDoor } from "../../../../helpers/server/http-door.ts";
import { startHttp } from "../../../../helpers/server/http-server.ts";

const FILE = "/documents/file.txt";
const LEASE_MS = 1_800_000;

describe("lock acquisition", () => {
  it("file locks are automatically acquired during PUT operations", async () => {
    const { session } = await startHttp();
    const [one, other] = [await session(), await session()];
    await one.acquire(FILE);
    expect((await other.put(FILE, "theirs")).status).toBe(423);
    expect((await one.put(FILE, "mine")).status).toBe(201);
  });

  it("and can be explicitly managed via query parameters", async () => {
    const { session } = await startHttp();
    const one = await session();
    for (const word of ["acquire", "refresh", "status", "release"]) {
      expect((await one.ask(`${FILE}?lock=${word}`)).status).toBe(200);
    }
  });

  it("servers MUST attempt to acquire a lock before writing: what is locked is not written", async () => {
    const { session } = await startHttp();
    const [one, other] = [await session(), await session()];
    await one.put(FILE, "first");
    await one.acquire(FILE);
    expect((await other.put(FILE, "second")).status).toBe(423);
    expect((await other.ask(FILE)).text).toBe("first");
  });

  it("if the file is locked by another session, PUT returns 423 Locked", async () => {
    const { session } = await startHttp();
    const [one, other] = [await session({ owner: "deploy-1" }), await session()];
    const { json } = await one.acquire(FILE);
    const answer = await other.put(FILE, "x");
    expect(answer.status).toBe(423);
    expect(answer.json).toMatchObject({
      error: "File is locked",
      message: "This file is currently being edited by another session",
      lockedBy: one.name,
      lockedAt: json.lockedAt,
      expiresAt: json.lockedAt + LEASE_MS,
    });
  });

  it("?lock=acquire acquires the lock without writing", async () => {
    const { session } = await startHttp();
    const one = await session();
    expect((await one.acquire(FILE)).status).toBe(200);
    expect((await one.ask(FILE)).status).toBe(404);
  });
});

describe("423 Locked", () => {
  it("has all five fields when a file is locked by another session", async () => {
    const { session } = await startHttp();
    const wish = { owner: "deploy-1", note: "v1.2.3", metadata: { run_id: "456" } };
    const [one, other] = [await session(wish), await session()];
    const before = Date.now();
    const { json: grant } = await one.acquire(FILE);
    const answer = await other.acquire(FILE);
    expect(answer.status).toBe(423);
    expect(answer.json).toEqual({
      error: "File is locked",
      message: "This file is currently being edited by another session",
      lockedBy: one.name,
      lockedAt: grant.lockedAt,
      expiresAt: grant.lockedAt + LEASE_MS,
      fence: grant.fence,
      owner: "deploy-1",
      note: "v1.2.3",
      metadata: { run_id: "456" },
      position: null,
      waiting: 0,
    });
    expect(answer.headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(answer.json.lockedAt).toBeGreaterThanOrEqual(before);
    expect(answer.json.lockedAt).toBeLessThanOrEqual(Date.now());
  });

  it("never shows the session id, with which its reader could release the lock", async () => {
    const { session } = await startHttp();
    const [one, other] = [await session({ owner: "deploy-1" }), await session()];
    await one.acquire(FILE);
    const texts = [
      (await other.acquire(FILE)).text,
      (await other.status(FILE)).text,
      (await other.put(FILE, "x")).text,
      (await one.acquire(FILE)).text,
      (await one.ask("/auth/session")).text,
    ];
    expect(one.name).toMatch(/^deploy-1#[0-9a-f]{12}$/);
    expect(texts.filter((text) => text.includes(one.id))).toEqual([]);
    const forged = other.with({ authorization: `Bearer ${one.name}` });
    expect((await forged.release(FILE)).status).toBe(401);
  });
});

describe("lock acquisition success", () => {
  it("says message, path and session, and the fence besides", async () => {
    const { session } = await startHttp();
    const one = await session();
    const answer = await one.acquire(FILE);
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({
      message: "Lock acquired",
      path: FILE,
      sessionId: one.name,
      fence: expect.any(Number),
      slot: 0,
      slots: 1,
      lockedAt: expect.any(Number),
      expiresAt: answer.json.lockedAt + LEASE_MS,
    });
    expect(answer.headers["holdfast-fence"]).toBe(String(answer.json.fence));
    expect(one.name).toMatch(/^session-[0-9a-f]{12}$/);
  });

  it("of one's own lock again succeeds, lasts anew, and is as old as it was", async () => {
    const { session, clock } = await openDoor();
    const one = await session();
    const first = (await one.acquire(FILE)).json;
    clock.pass(600);
    const second = await one.acquire(FILE);
    expect(second.status).toBe(200);
    expect(second.json).toEqual({ ...first, expiresAt: first.expiresAt + 600_000 });
  });

  it("gives `path` as it was sent, and one lock to one decoded path", async () => {
    const { session } = await startHttp();
    const [one, other] = [await session(), await session()];
    const answer = await one.acquire("/d%C3%B6cs/a%20b");
    expect(answer.json.path).toBe("/d%C3%B6cs/a%20b");
    expect((await other.acquire("/d%c3%b6cs/%61%20b")).status).toBe(423);
    expect((await other.acquire("/d%C3%B6cs/a%2520b")).status).toBe(200);
  });

  it("gives every grant a higher fence", async () => {
    const { session } = await startHttp();
    const one = await session();
    let last = 0;
    for (let round = 0; round < 20; round += 1) {
      const { fence } = (await one.acquire(FILE)).json;
      expect(fence).toBeGreaterThan(last);
      last = fence;
      await one.release(FILE);
    }
  });
});

describe("lock status", () => {
  it("of a free file", async () => {
    const { session } = await startHttp();
    const answer = await (await session()).status(FILE);
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({
      locked: false,
      ownedByThisSession: false,
      slots: 1,
      holders: [],
      waiting: 0,
      waiters: [],
      position: null,
    });
  });

  it("of a file that another session holds", async () => {
    const { session } = await startHttp();
    const [one, other] = [await session({ owner: "deploy-1" }), await session()];
    const grant = (await one.acquire(FILE)).json;
    const answer = await other.status(FILE);
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({
      locked: true,
      lock: {
        lockedBy: one.name,
        lockedAt: grant.lockedAt,
        expiresAt: grant.lockedAt + LEASE_MS,
        fence: grant.fence,
        owner: "deploy-1",
        note: null,
        metadata: {},
        slot: 0,
      },
      ownedByThisSession: false,
      holders: [{ owner: "deploy-1", ttl: 1_800, fence: grant.fence, alive: true, door: "http" }],
    });
  });

  it("of one's own lock says locked and owned", async () => {
    const { session } = await startHttp();
    const one = await session();
    await one.acquire(FILE);
    expect((await one.status(FILE)).json).toMatchObject({
      locked: true,
      lock: { lockedBy: one.name },
      ownedByThisSession: true,
    });
  });

  it("changes nothing", async () => {
    const { session, clock } = await openDoor();
    const one = await session();
    await one.acquire(FILE);
    const before = (await one.status(FILE)).json;
    clock.pass(60);
    expect((await one.status(FILE)).json).toEqual(before);
  });
});
