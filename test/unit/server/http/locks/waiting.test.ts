import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { openDoor, type TestDoor } from "../../../../helpers/server/http-door.ts";
import { startHttp } from "../../../../helpers/server/http-server.ts";
import { PATIENT } from "../../../../helpers/waiting.ts";

/** Longer than a place is kept. */
const GAP_OVER_MS = 6_000;

async function holderAndOther(door: TestDoor) {
  const [holder, other] = [await door.session(), await door.session()];
  await holder.acquire("/k");
  return { holder, other };
}

describe("&wait=", () => {
  it("waits until the lock is free", async () => {
    const door = await openDoor();
    const { holder, other } = await holderAndOther(door);
    const waiting = other.acquire("/k", "&wait=60");
    await expect.poll(() => door.table.waiting, PATIENT).toBe(1);
    await holder.release("/k");
    const answer = await waiting;
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({ message: "Lock acquired", sessionId: other.name });
    expect((await other.status("/k")).json.ownedByThisSession).toBe(true);
  });

  it("that is over answers 423 with the place in line", async () => {
    const door = await openDoor();
    const { other, holder } = await holderAndOther(door);
    const start = performance.now();
    const answer = await other.acquire("/k", "&wait=0.5");
    expect(performance.now() - start).toBeGreaterThan(490);
    expect(answer.status).toBe(423);
    expect(answer.json).toMatchObject({ lockedBy: holder.name, position: 1, waiting: 1 });
  });

  it("of 0 answers at once and joins no line", async () => {
    const door = await openDoor();
    const { other } = await holderAndOther(door);
    expect((await other.acquire("/k", "&wait=0")).json).toMatchObject({
      position: null,
      waiting: 0,
    });
    expect(door.table.waiting).toBe(0);
  });

  it("serves those who wait in the order in which they came", async () => {
    const door = await openDoor();
    const { holder } = await holderAndOther(door);
    const sessions = await Promise.all(Array.from({ length: 10 }, () => door.session()));
    const order: number[] = [];
    const all: Promise<void>[] = [];
    for (const [index, session] of sessions.entries()) {
      all.push(
        session.acquire("/k", "&wait=60").then(async ({ status }) => {
          expect(status).toBe(200);
          order.push(index);
          await session.release("/k");
        }),
      );
      await expect.poll(() => door.table.waiting, PATIENT).toBe(index + 1);
    }
    await holder.release("/k");
    await Promise.all(all);
    expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it("shows its place to those who ask for the status", async () => {
    const door = await openDoor();
    const { holder, other } = await holderAndOther(door);
    const third = await door.session({ owner: "third", note: "n", metadata: { job: "j" } });
    const waits = [other.acquire("/k", "&wait=60")];
    await expect.poll(() => door.table.waiting, PATIENT).toBe(1);
    waits.push(third.acquire("/k", "&wait=60"));
    await expect.poll(() => door.table.waiting, PATIENT).toBe(2);
    expect((await third.status("/k")).json).toMatchObject({
      position: 2,
      waiting: 2,
      waiters: [
        { owner: other.name, position: 1 },
        { owner: "third", position: 2, note: "n", metadata: { job: "j" } },
      ],
    });
    expect((await holder.status("/k")).json.position).toBe(null);
    await holder.release("/k");
    await waits[0];
    await other.release("/k");
    await waits[1];
  });

  it("in two requests of one session is one place, and both are told", async () => {
    const door = await openDoor();
    const { holder, other } = await holderAndOther(door);
    const both = [other.acquire("/k", "&wait=60"), other.acquire("/k", "&wait=60")];
    await expect.poll(() => door.table.waiting, PATIENT).toBe(1);
    await delay(100);
    await holder.release("/k");
    const [first, second] = await Promise.all(both);
    expect(first).toMatchObject({ status: 200 });
    expect(second?.json.fence).toBe(first?.json.fence);
  });

  it.each(["61", "60.001", "-1", "abc", "", "1e1", "1&wait=2", "%00", "9999999999"])(
    "refuses wait=%s",
    async (wait) => {
      const { session } = await startHttp();
      const answer = await (await session()).acquire("/k", `&wait=${wait}`);
      expect(answer.status).toBe(400);
      expect(answer.json.message).toMatch(/wait/);
    },
  );
});

describe("a session that asks again", () => {
  it("within 5 s keeps its place in line", async () => {
    const door = await openDoor();
    const { holder, other } = await holderAndOther(door);
    const third = await door.session();
    expect((await other.acquire("/k", "&wait=0.2")).status).toBe(423);
    const thirdWaits = third.acquire("/k", "&wait=60");
    await expect.poll(() => door.table.waiting, PATIENT).toBe(2);
    // It does not wait, but is still there: that keeps the place, too.
    expect((await other.acquire("/k")).json).toMatchObject({ position: 1, waiting: 2 });
    const again = other.acquire("/k", "&wait=60");
    await delay(50);
    await holder.release("/k");
    expect((await again).status).toBe(200);
    await other.release("/k");
    expect((await thirdWaits).status).toBe(200);
  });

  it("again and again without waiting keeps its place for as long as it does", async () => {
    const door = await openDoor();
    const { other } = await holderAndOther(door);
    await other.acquire("/k", "&wait=0.1");
    for (let round = 0; round < 4; round += 1) {
      await delay(2_000);
      expect((await other.acquire("/k")).json).toMatchObject({ position: 1, waiting: 1 });
    }
    expect(door.table.waiting).toBe(1);
  });

  it.each(["&wait=60", ""])(
    "within 5 s gets a lock that is free by then: acquire%s",
    async (wait) => {
      const door = await openDoor();
      const { holder, other } = await holderAndOther(door);
      await other.acquire("/k", "&wait=0.2");
      await holder.release("/k");
      // Nothing is held for a client that is not there.
      expect([door.table.held, door.table.waiting]).toEqual([0, 1]);
      expect((await other.status("/k")).json).toMatchObject({ locked: false, position: 1 });
      door.clock.pass(3);
      const answer = await other.acquire("/k", wait);
      expect(answer.status).toBe(200);
      expect(answer.json.expiresAt).toBe(answer.json.lockedAt + 1_800_000);
      await delay(GAP_OVER_MS);
      expect((await holder.acquire("/k")).status).toBe(423);
    },
  );

  it("keeps its place before those who came later, when a lock went past it", async () => {
    const door = await openDoor();
    const { holder, other } = await holderAndOther(door);
    await other.acquire("/k", "&wait=0.2");
    const third = await door.session();
    const thirdWaits = third.acquire("/k", "&wait=60");
    await expect.poll(() => door.table.waiting, PATIENT).toBe(2);
    const fourth = await door.session();
    const fourthWaits = fourth.acquire("/k", "&wait=60");
    await expect.poll(() => door.table.waiting, PATIENT).toBe(3);
    await holder.release("/k");
    expect((await thirdWaits).status).toBe(200);
    const again = other.acquire("/k", "&wait=60");
    await expect.poll(async () => (await other.status("/k")).json.position, PATIENT).toBe(1);
    await third.release("/k");
    expect((await again).status).toBe(200);
    await other.release("/k");
    expect((await fourthWaits).status).toBe(200);
  });

  it("and one that only writes are not held up by a client that is not there", async () => {
    const door = await openDoor();
    const { holder, other } = await holderAndOther(door);
    await other.acquire("/k", "&wait=0.2");
    await holder.release("/k");
    expect((await holder.put("/k", "text")).status).toBe(201);
    expect((await holder.acquire("/k")).status).toBe(200);
    expect(door.table.waiting).toBe(1);
  });

  it("later than that has lost its place", async () => {
    const door = await openDoor();
    const { holder, other } = await holderAndOther(door);
    await other.acquire("/k", "&wait=0.2");
    expect(door.table.waiting).toBe(1);
    await delay(GAP_OVER_MS);
    expect(door.table.waiting).toBe(0);
    expect((await holder.release("/k")).status).toBe(200);
    expect(door.table.held).toBe(0);
  });

  it("later than that has lost its place, though the lock was free meanwhile", async () => {
    const door = await openDoor();
    const { holder, other } = await holderAndOther(door);
    await other.acquire("/k", "&wait=0.2");
    await holder.release("/k");
    expect(door.table.held).toBe(0);
    await expect.poll(() => door.table.waiting, PATIENT).toBe(0);
    expect((await holder.acquire("/k")).status).toBe(200);
  });
});

describe("a client that hangs up while it waits", () => {
  it("is noticed at once, and passed over, also while its 5 s are not over", async () => {
    const door = await openDoor();
    const { holder, other } = await holderAndOther(door);
    const hangUp = new AbortController();
    const waiting = other.ask("/k?lock=acquire&wait=60", { signal: hangUp.signal });
    await expect.poll(() => door.table.waiting, PATIENT).toBe(1);
    hangUp.abort();
    await expect(waiting).rejects.toThrow();
    const third = await door.session();
    const thirdWaits = third.acquire("/k", "&wait=60");
    await expect.poll(() => door.table.waiting, PATIENT).toBe(2);
    await holder.release("/k");
    expect((await thirdWaits).status).toBe(200);
    // Its place is still kept: the lock did not wait for the end of that.
    expect(door.table.waiting).toBe(1);
  });

  it("gives up its place at once when it releases, or when its session ends", async () => {
    const door = await openDoor();
    const { other } = await holderAndOther(door);
    await other.acquire("/k", "&wait=0.1");
    expect((await other.release("/k")).status).toBe(404);
    expect(door.table.waiting).toBe(0);
    await other.acquire("/k", "&wait=0.1");
    await other.remove("/auth/session");
    expect(door.table.waiting).toBe(0);
  });

  it("leaves nothing behind, however many do so", async () => {
    const door = await openDoor();
    const { holder } = await holderAndOther(door);
    const sessions = await Promise.all(Array.from({ length: 50 }, () => door.session()));
    const hangUp = new AbortController();
    const all = sessions.map((session) =>
      session.ask("/k?lock=acquire&wait=60", { signal: hangUp.signal }).catch(() => null),
    );
    await expect.poll(() => door.table.waiting, PATIENT).toBe(50);
    hangUp.abort();
    await Promise.all(all);
    await expect.poll(() => door.table.waiting, PATIENT).toBe(0);
    expect((await holder.release("/k")).status).toBe(200);
    expect(door.table.held).toBe(0);
  });
});
