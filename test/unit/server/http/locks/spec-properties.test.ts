import { describe, expect, it } from "vitest";
import { openDoor } from "../../../../helpers/server/http-door.ts";
import { startHttp } from "../../../../helpers/server/http-server.ts";

const FILE = "/documents/file.txt";
const LEASE_MS = 1_800_000;

describe("lock properties", () => {
  it("duration: locks expire after 1800 seconds, and not before", async () => {
    const { session, clock } = await openDoor();
    const [one, other] = [await session(), await session()];
    await one.acquire(FILE);
    clock.pass(1_799.9);
    expect((await other.acquire(FILE)).status).toBe(423);
    clock.pass(0.1);
    expect((await other.status(FILE)).json).toMatchObject({ locked: false, holders: [] });
    expect((await other.acquire(FILE)).status).toBe(200);
  });

  it.each(["release", "refresh"] as const)(
    "ownership: only the locking session can %s",
    async (word) => {
      const { session } = await startHttp();
      const [one, other] = [await session(), await session()];
      await one.acquire(FILE);
      const answer = await other[word](FILE);
      expect(answer.status).toBe(404);
      expect(answer.json).toEqual({ error: "Lock not found", message: expect.any(String) });
      expect((await other.acquire(FILE)).status).toBe(423);
      expect((await one[word](FILE)).status).toBe(200);
    },
  );

  it("scope: locks apply to individual files, not directories", async () => {
    const { session } = await startHttp();
    const [one, other] = [await session(), await session()];
    expect((await one.acquire("/documents")).status).toBe(200);
    expect((await other.acquire("/documents/file.txt")).status).toBe(200);
    expect((await other.put("/documents/other.txt", "x")).status).toBe(201);
  });

  it("auto-release: locks are released after successful PUT operations", async () => {
    const { session } = await startHttp();
    const [one, other] = [await session(), await session()];
    await one.acquire(FILE);
    await one.put(FILE, "x");
    expect((await one.status(FILE)).json.locked).toBe(false);
    expect((await other.put(FILE, "y")).status).toBe(200);
    expect((await one.status(FILE)).json.locked).toBe(false);
  });

  it("an explicit lock outlives a PUT that failed; the lock of the PUT alone does not", async () => {
    const { session } = await startHttp();
    const [one, other] = [await session(), await session()];
    await one.acquire(FILE);
    expect((await one.put(FILE, "x", { "if-match": '"nothing"' })).status).toBe(412);
    expect((await other.acquire(FILE)).status).toBe(423);
    await one.release(FILE);
    expect((await one.put(FILE, "x", { "if-match": '"nothing"' })).status).toBe(412);
    expect((await other.acquire(FILE)).status).toBe(200);
  });
});

describe("lock refresh", () => {
  it("extends lock expiry by 30 minutes for the owning session", async () => {
    const { session, clock } = await openDoor();
    const one = await session();
    const { lockedAt, fence } = (await one.acquire(FILE)).json;
    clock.pass(1_000);
    const answer = await one.refresh(FILE);
    expect(answer.status).toBe(200);
    const expiresAt = lockedAt + 1_000_000 + LEASE_MS;
    expect(answer.json).toEqual({ message: "Lock refreshed", path: FILE, fence, expiresAt });
    clock.pass(1_700);
    expect((await one.status(FILE)).json.lock).toMatchObject({ lockedAt, expiresAt });
  });

  it("does not revive a lock that expired, nor one that never was", async () => {
    const { session, clock } = await openDoor();
    const one = await session();
    expect((await one.refresh(FILE)).status).toBe(404);
    await one.acquire(FILE);
    clock.pass(1_800);
    expect((await one.refresh(FILE)).status).toBe(404);
    expect((await one.status(FILE)).json.locked).toBe(false);
  });
});

describe("lock release", () => {
  it("releases the lock if owned by the current session", async () => {
    const { session } = await startHttp();
    const [one, other] = [await session(), await session()];
    const { fence } = (await one.acquire(FILE)).json;
    const answer = await one.release(FILE);
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({ message: "Lock released", path: FILE, fence });
    expect((await other.acquire(FILE)).status).toBe(200);
  });

  it("of nothing, or of what expired, is 404", async () => {
    const { session, clock } = await openDoor();
    const one = await session();
    expect((await one.release(FILE)).status).toBe(404);
    await one.acquire(FILE);
    clock.pass(1_800);
    const answer = await one.release(FILE);
    expect(answer.status).toBe(404);
    expect(Object.keys(answer.json)).toEqual(["error", "message"]);
  });
});

describe("session cleanup", () => {
  it("when sessions are deleted, all associated locks are released", async () => {
    const { session } = await startHttp();
    const [one, other] = [await session(), await session()];
    for (const name of ["/a", "/b", "/c/d"]) await one.acquire(name);
    expect((await one.remove("/auth/session")).status).toBe(204);
    for (const name of ["/a", "/b", "/c/d"]) expect((await other.acquire(name)).status).toBe(200);
  });

  it("when sessions expire, all associated locks are released", async () => {
    const { session, clock } = await openDoor();
    const [one, other] = [await session({ ttl: 30 }), await session()];
    await one.acquire("/a");
    await one.acquire("/b");
    clock.pass(31);
    await expect.poll(async () => (await other.acquire("/a")).status).toBe(200);
    expect((await other.acquire("/b")).status).toBe(200);
    expect((await one.release("/a")).status).toBe(401);
  });
});
