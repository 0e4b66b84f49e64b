import { describe, expect, it } from "vitest";
import { startHttp } from "../../../../helpers/server/http-server.ts";
import { PATIENT } from "../../../../helpers/waiting.ts";

describe("&slots=", () => {
  it("lets so many hold at once, and tells each its slot", async () => {
    const { session } = await startHttp();
    const [one, two, three] = [await session(), await session(), await session()];
    expect((await one.acquire("/k", "&slots=2")).json).toMatchObject({ slot: 0, slots: 2 });
    expect((await two.acquire("/k", "&slots=2")).json).toMatchObject({ slot: 1, slots: 2 });
    const refused = await three.acquire("/k", "&slots=2");
    expect(refused.status).toBe(423);
    expect(refused.json.lockedBy).toBe(one.name);
    expect((await two.status("/k")).json).toMatchObject({
      lock: { lockedBy: two.name, slot: 1 },
      ownedByThisSession: true,
      slots: 2,
      holders: [{ slot: 0 }, { slot: 1 }],
    });
    expect((await three.status("/k")).json).toMatchObject({
      lock: { lockedBy: one.name },
      ownedByThisSession: false,
    });
    await one.release("/k");
    expect((await three.acquire("/k", "&slots=2")).json).toMatchObject({ slot: 0 });
  });

  it("of another number than the line has is 409, and free to change when nobody holds", async () => {
    const { session } = await startHttp();
    const [one, two] = [await session(), await session()];
    await one.acquire("/k", "&slots=2");
    for (const terms of ["", "&slots=3", "&slots=1&wait=5"]) {
      const answer = await two.acquire("/k", terms);
      expect(answer.status).toBe(409);
      expect(answer.json.error).toBe("Slots differ");
      expect(answer.json.message).toMatch(/slots 2/);
    }
    expect((await one.acquire("/k", "&slots=3")).status).toBe(409);
    await one.release("/k");
    expect((await two.acquire("/k", "&slots=3")).json.slots).toBe(3);
  });

  it("of a key makes a PUT without an explicit lock impossible", async () => {
    const { session } = await startHttp();
    const [one, two] = [await session(), await session()];
    await one.acquire("/k", "&slots=2");
    const refused = await two.put("/k", "x");
    expect(refused.status).toBe(409);
    expect(refused.json.message).toMatch(/lock=acquire&slots=2/);
    await two.acquire("/k", "&slots=2");
    expect((await two.put("/k", "x")).status).toBe(201);
    expect((await two.status("/k")).json.ownedByThisSession).toBe(false);
    expect((await one.status("/k")).json.ownedByThisSession).toBe(true);
  });

  it.each(["0", "-1", "1.5", "abc", "", "1001", "2&slots=2"])("refuses slots=%s", async (slots) => {
    const { session } = await startHttp();
    const answer = await (await session()).acquire("/k", `&slots=${slots}`);
    expect(answer.status).toBe(400);
    expect(answer.json.message).toMatch(/slots/);
  });
});

describe("a full server", () => {
  it("refuses further keys with 503 and Retry-After", async () => {
    const { session } = await startHttp({ "max-locks": "1" });
    const one = await session();
    await one.acquire("/a");
    for (const answer of [await one.acquire("/b"), await one.put("/b", "x")]) {
      expect(answer.status).toBe(503);
      expect(answer.headers["retry-after"]).toBe("5");
      expect(answer.json).toEqual({ error: "Server full", message: expect.stringMatching(/"b"/) });
    }
  });

  it("refuses further waiters with 503, but not those who do not wait", async () => {
    const { session, server } = await startHttp({ "max-waiters": "1" });
    const [one, two, three] = [await session(), await session(), await session()];
    await one.acquire("/k");
    const waiting = two.acquire("/k", "&wait=60");
    const watch = await server.connect();
    await expect.poll(async () => (await watch.stats()).locks[0]?.waiters, PATIENT).toBe(1);
    expect((await three.acquire("/k", "&wait=1")).status).toBe(503);
    expect((await three.acquire("/k")).status).toBe(423);
    await one.release("/k");
    await waiting;
  });
});
