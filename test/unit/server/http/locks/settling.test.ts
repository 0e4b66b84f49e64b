import { describe, expect, it } from "vitest";
import type { FileResult } from "../../../../../src/server/storage/types.ts";
import { openDoor } from "../../../../helpers/server/http-door.ts";
import { PATIENT } from "../../../../helpers/waiting.ts";

/** A disk that is done when the test says so. */
function slowDisk() {
  let waiting: PromiseWithResolvers<void> | null = null;
  return {
    settled: () => waiting?.promise ?? null,
    begin: () => {
      waiting = Promise.withResolvers<void>();
    },
    finish: () => {
      waiting?.resolve();
      waiting = null;
    },
  };
}

describe("an answer that tells of a change", () => {
  it.each(["/k?lock=acquire", "/held?lock=refresh", "/held?lock=release", "/held?lock=acquire"])(
    "to %s is held back until the change is safe, and others are not",
    async (path) => {
      const disk = slowDisk();
      const { session, table } = await openDoor({}, disk);
      const one = await session();
      await one.acquire("/held");
      disk.begin();
      let answered = false;
      const answer = one.ask(path).finally(() => {
        answered = true;
      });
      const renewed = path === "/held?lock=release" ? 0 : path === "/k?lock=acquire" ? 2 : 1;
      await expect.poll(() => table.held, PATIENT).toBe(renewed);
      expect((await one.status("/other")).status).toBe(200);
      expect((await one.release("/other")).status).toBe(404);
      expect(answered).toBe(false);
      disk.finish();
      expect((await answer).status).toBe(200);
    },
  );

  it("is 503 where the disk refuses, and the lock is there when the client asks again", async () => {
    const disk = slowDisk();
    const trouble = { now: null as string | null };
    const { session } = await openDoor(
      {},
      {
        settled: disk.settled,
        get trouble() {
          return trouble.now;
        },
      },
    );
    const one = await session();
    disk.begin();
    trouble.now = "the disk is full";
    const refused = await one.acquire("/k");
    expect(refused.status).toBe(503);
    expect(refused.headers["retry-after"]).toBe("5");
    expect(refused.json.error).toBe("Storage trouble");
    trouble.now = null;
    disk.finish();
    expect((await one.acquire("/k")).status).toBe(200);
  });
});

describe("two writes of one session at the same time", () => {
  it("share the lock until the last of them is done", async () => {
    const writes: PromiseWithResolvers<FileResult>[] = [];
    const info = { size: 1, type: "text/plain", etag: '"x"', modifiedAt: 0, fence: null };
    const { session, table } = await openDoor(
      {},
      {
        writeFile: () => {
          const write = Promise.withResolvers<FileResult>();
          writes.push(write);
          return write.promise;
        },
      },
    );
    const [one, other] = [await session(), await session()];
    const first = one.put("/f", "1");
    const second = one.put("/f", "2");
    await expect.poll(() => writes.length, PATIENT).toBe(2);
    writes[0]?.resolve({ outcome: "created", info });
    await Promise.race([first, second]);
    expect(table.held).toBe(1);
    expect((await other.put("/f", "3")).status).toBe(423);
    writes[1]?.resolve({ outcome: "updated", info });
    await Promise.all([first, second]);
    expect(table.held).toBe(0);
  });
});

describe("a client that hangs up between its grant and the answer", () => {
  async function hangUpBeforeTheAnswer() {
    const disk = slowDisk();
    const door = await openDoor({}, disk);
    const [holder, other] = [await door.session(), await door.session()];
    await holder.acquire("/k");
    const hangUp = new AbortController();
    const waiting = other.ask("/k?lock=acquire&wait=60", { signal: hangUp.signal });
    await expect.poll(() => door.table.waiting, PATIENT).toBe(1);
    disk.begin();
    const released = holder.release("/k");
    await expect.poll(() => door.table.waiting, PATIENT).toBe(0);
    const connections = door.door.connections;
    hangUp.abort();
    await expect(waiting).rejects.toThrow();
    await expect.poll(() => door.door.connections, PATIENT).toBe(connections - 1);
    disk.finish();
    await released;
    return { ...door, holder, other };
  }

  it("does not keep a lock that it never heard of", async () => {
    const { table, holder } = await hangUpBeforeTheAnswer();
    expect((await holder.acquire("/k")).status).toBe(423);
    await expect.poll(() => table.held, PATIENT).toBe(0);
  });

  it("keeps it when it asks again", async () => {
    const { table, other } = await hangUpBeforeTheAnswer();
    expect((await other.acquire("/k")).status).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 6_000));
    expect(table.held).toBe(1);
  });

  it.each(["in line", "after the grant"])(
    "keeps it where it has asked on a second connection %s, and was answered there",
    async (when) => {
      const disk = slowDisk();
      const { session, table, door } = await openDoor({}, disk);
      const [holder, other] = [await session(), await session()];
      const ask = (signal?: AbortSignal) =>
        other.ask("/k?lock=acquire&wait=60", signal === undefined ? {} : { signal });
      await holder.acquire("/k");
      const hangUp = new AbortController();
      const first = ask(hangUp.signal);
      await expect.poll(() => table.waiting, PATIENT).toBe(1);
      let second = when === "in line" ? ask() : null;
      // A round trip on another connection, in which the second request comes in.
      expect((await other.status("/k")).json.position).toBe(1);
      disk.begin();
      const released = holder.release("/k");
      await expect.poll(() => table.waiting, PATIENT).toBe(0);
      second ??= ask();
      await other.status("/k");
      const connections = door.connections;
      hangUp.abort();
      await expect(first).rejects.toThrow();
      await expect.poll(() => door.connections, PATIENT).toBe(connections - 1);
      disk.finish();
      await released;
      expect((await second).status).toBe(200);
      await new Promise((resolve) => setTimeout(resolve, 6_000));
      expect(table.held).toBe(1);
    },
  );
});
