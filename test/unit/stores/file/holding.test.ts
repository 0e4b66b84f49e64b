import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isLockError } from "../../../../src/lock/errors.ts";
import { parseLock } from "../../../../src/stores/file/format/format.ts";
import type { OwnRecord } from "../../../../src/stores/file/format/record.ts";
import { temporaryDirectory } from "../../../helpers/directories.ts";
import { failure, owner, testStore } from "../../../helpers/file/support.ts";
import { linuxTest, unixTest } from "../../../helpers/platform.ts";
import { eventually } from "../../../helpers/waiting.ts";

function recordOf(path: string): OwnRecord {
  const record = parseLock(readFileSync(path));
  if (record.kind !== "holdfast") throw new Error(`${path} is ${record.kind}`);
  return record;
}

describe("the ttl", () => {
  test.each([
    [{}, 3_600],
    [{ environment: "local", purpose: "automated" }, 1_800],
    [{ environment: "ci", purpose: "automated" }, 86_400],
    [{ environment: "cloud", purpose: "interactive" }, 7_200],
    [{ environment: "container" }, 1_800],
    [{ environment: "ci", purpose: "emergency" }, 300],
  ])("of %j is %s s, in the lease and in the file", async (metadata, seconds) => {
    const directory = temporaryDirectory();
    const store = await testStore(directory);
    const holding = await store.claim({ key: "k", owner: owner("me", metadata) });
    expect(holding.lease.ttl).toBe(seconds);
    expect(recordOf(join(directory, "k.lock")).ttl).toBe(seconds);
    await holding.release();
  });

  test("can be named, down to a second, and is refused below", async () => {
    const store = await testStore(temporaryDirectory());
    const holding = await store.claim({ key: "k", owner: owner("me"), ttl: 1_500 });
    expect(holding.lease.ttl).toBe(1.5);
    await holding.release();
    for (const ttl of [999, 0, -1, Number.NaN, Number.POSITIVE_INFINITY])
      await failure(store.claim({ key: "k", owner: owner("me"), ttl }), "BAD_TTL");
  });

  test("is refreshed at 75 %, long before the next heartbeat of its lease", async () => {
    const directory = temporaryDirectory();
    const store = await testStore(directory);
    const holding = await store.claim({
      key: "k",
      owner: owner("me"),
      ttl: 1_000,
      deadAfter: 30_000,
    });
    const lock = join(directory, "k.lock");
    const first = recordOf(lock);
    const second = await eventually(
      () => recordOf(lock),
      (record) => record.refreshed !== first.refreshed,
    );
    const waited = second.refreshedMonotonic - first.refreshedMonotonic;
    // A busy machine may have seen only a later refresh.
    expect(waited).toBeGreaterThanOrEqual(749 * second.beat);
    expect(waited / second.beat).toBeLessThan(10_000);
    expect(second.acquired).toBe(first.acquired);
    // Several ttl later it is still held: nobody who comes finds it expired.
    await failure(store.claim({ key: "k", owner: owner("other") }, { timeout: 2_500 }), "TIMEOUT");
    expect(holding.lost.aborted).toBe(false);
    await holding.release();
  });
});

describe("the heartbeat", () => {
  test("comes three times a lease, changes the timestamp that the sema tools see, and not the ttl", async () => {
    const directory = temporaryDirectory();
    const store = await testStore(directory);
    const holding = await store.claim({ key: "k", owner: owner("me"), deadAfter: 1_200 });
    const lock = join(directory, "k.lock");
    const first = recordOf(lock);
    const inode = statSync(lock).ino;
    const later = await eventually(
      () => recordOf(lock),
      (record) => record.beat >= 3,
    );
    expect(later.beaten - first.beaten).toBeGreaterThanOrEqual(1_100);
    expect(later.refreshed).toBe(first.refreshed);
    expect(statSync(lock).ino).toBe(inode);
    const timestamp = /^timestamp=(\d+)$/m.exec(readFileSync(lock, "utf8"))?.[1];
    expect(Number(timestamp)).toBeGreaterThanOrEqual(Math.floor(later.beaten / 1_000));
    await holding.release();
  });

  test("of a JSON lock keeps it valid JSON, with since refreshed by renew", async () => {
    const directory = temporaryDirectory();
    const store = await testStore(directory, { format: "json" });
    const holding = await store.claim({ key: "k", owner: owner("me"), note: "n".repeat(100) });
    const lock = join(directory, "k.lock");
    const before = JSON.parse(readFileSync(lock, "utf8"));
    await eventually(
      () => Date.now(),
      (now) => now > Date.parse(before.since),
    );
    await holding.renew();
    const after = JSON.parse(readFileSync(lock, "utf8"));
    expect(Date.parse(after.since)).toBeGreaterThan(Date.parse(before.since));
    expect(after.holdfast.acquired).toBe(before.holdfast.acquired);
    expect((await store.inspect("k")).holders[0]?.since).toBe(before.holdfast.acquired);
    await holding.release();
  });
});

test("renew after the file is gone says LOCK_LOST, and so does the signal", async () => {
  const directory = temporaryDirectory();
  const store = await testStore(directory);
  const holding = await store.claim({ key: "k", owner: owner("me") });
  rmSync(join(directory, "k.lock"));
  await failure(holding.renew(), "LOCK_LOST");
  expect(isLockError(holding.lost.reason, "LOCK_LOST")).toBe(true);
  expect(await holding.release()).toBe("already-gone");
});

unixTest("files in use that may be replaced and removed")(
  "a store directory that vanishes is a lost lock",
  async () => {
    const directory = join(temporaryDirectory(), "locks");
    const store = await testStore(directory);
    const holding = await store.claim({ key: "k", owner: owner("me"), deadAfter: 3_000 });
    rmSync(directory, { recursive: true });
    await eventually(() => holding.lost.aborted, Boolean);
    expect(await holding.release()).toBe("already-gone");
    // And the next claim makes the directory again.
    await (await store.claim({ key: "k", owner: owner("next") })).release();
  },
);

test("releasing again succeeds, and says that there was nothing left to do", async () => {
  const store = await testStore(temporaryDirectory());
  const holding = await store.claim({ key: "k", owner: owner("me") });
  expect(await holding.release()).toBe("released");
  expect(await holding.release()).toBe("already-gone");
  await failure(holding.renew(), "LOCK_LOST");
});

test("a lease that is no whole number of milliseconds is still a lock of ours", async () => {
  const store = await testStore(temporaryDirectory());
  const holding = await store.claim({
    key: "k",
    owner: owner("me"),
    deadAfter: 1_500.5,
    ttl: 1_000.4,
  });
  expect((await store.inspect("k")).holders[0]).toMatchObject({ owner: "me", alive: true });
  await holding.release();
});

test("a lease of months does not beat without a pause", async () => {
  const directory = temporaryDirectory();
  const store = await testStore(directory);
  const months = 200 * 86_400_000;
  const request = { key: "k", owner: owner("me"), deadAfter: months, ttl: months };
  const holding = await store.claim(request);
  const waiting = store.claim({ ...request, owner: owner("other") }, { timeout: 500 });
  await failure(waiting, "TIMEOUT");
  expect(recordOf(join(directory, "k.lock")).beat).toBe(0);
  await holding.release();
});

test.each([
  ["BAD_DEAD_AFTER", { deadAfter: 999 }],
  ["BAD_DEAD_AFTER", { deadAfter: Number.NaN }],
  ["BAD_DEAD_AFTER", { deadAfter: 1e12 }],
  ["BAD_SLOTS", { slots: 0 }],
  ["BAD_SLOTS", { slots: 1.5 }],
  ["BAD_KEY", { key: "" }],
  ["BAD_KEY", { key: "x".repeat(201) }],
  ["BAD_OWNER", { owner: { id: "", metadata: {} } }],
  ["BAD_METADATA", { owner: { id: "me", metadata: { colour: "red" } } }],
  ["BAD_NOTE", { note: "x".repeat(1_001) }],
] as const)("%s for such a request, before anything is written", async (code, change) => {
  const directory = join(temporaryDirectory(), "never");
  const store = await testStore(directory);
  await failure(store.claim({ key: "k", owner: owner("me"), ...change }), code);
  expect(statSync(directory, { throwIfNoEntry: false })).toBeUndefined();
});

test.each([-1, Number.NaN])(
  "a timeout of %s is refused, not waited for without limit",
  async (timeout) => {
    const directory = join(temporaryDirectory(), "never");
    const store = await testStore(directory);
    await failure(store.claim({ key: "k", owner: owner("me") }, { timeout }), "BAD_DURATION");
    expect(statSync(directory, { throwIfNoEntry: false })).toBeUndefined();
  },
);

linuxTest(
  "a holder whose directory is moved away is told by the watch, long before its heartbeat",
  async () => {
    const directory = join(temporaryDirectory(), "locks");
    const store = await testStore(directory);
    // Its heartbeat comes after minutes.
    const request = { key: "k", deadAfter: 3_600_000, owner: owner("me") };
    const holding = await store.claim(request);
    const lost = new Promise((resolve) => holding.lost.addEventListener("abort", resolve));
    // The watch begins a moment after the grant; moving it again and again meets it.
    const timer = setInterval(() => {
      if (existsSync(directory)) renameSync(directory, `${directory}.moved`);
      else renameSync(`${directory}.moved`, directory);
    }, 100);
    await lost;
    clearInterval(timer);
    expect(holding.lost.reason.message).toContain("was lost");
  },
);

describe("a tool of the lock policy takes over by writing into the file that is there", () => {
  const TAKEN = JSON.stringify({
    owner: `pid-${process.pid}@${hostname()}`,
    since: new Date().toISOString(),
    ttl: 3_600,
    metadata: { reclaimed_from: "me", reclaimed_reason: "SAME_USER" },
  });

  async function hold() {
    const directory = temporaryDirectory();
    const store = await testStore(directory, { format: "json" });
    const holding = await store.claim({ key: "k", owner: owner("me") });
    return { holding, lock: join(directory, "k.lock") };
  }

  test("the holder is told, and does not write its own lock back", async () => {
    const { holding, lock } = await hold();
    writeFileSync(lock, TAKEN);
    await expect(holding.renew()).rejects.toMatchObject({ code: "LOCK_LOST" });
    expect(holding.lost.aborted).toBe(true);
    expect(readFileSync(lock, "utf8")).toBe(TAKEN);
  });

  test("it is told at once by the watch, without a heartbeat", async () => {
    const { holding, lock } = await hold();
    const lost = new Promise((resolve) => holding.lost.addEventListener("abort", resolve));
    // The watch begins a moment after the grant; writing again and again meets it.
    const timer = setInterval(() => writeFileSync(lock, TAKEN), 20);
    await lost;
    clearInterval(timer);
    // As people are told who it is.
    expect(String(holding.lost.reason)).toContain(`pid ${process.pid} on ${hostname()}`);
  });

  test("its release leaves the other tool's lock alone", async () => {
    const { holding, lock } = await hold();
    writeFileSync(lock, TAKEN);
    expect(await holding.release()).toBe("already-gone");
    expect(readFileSync(lock, "utf8")).toBe(TAKEN);
  });
});
