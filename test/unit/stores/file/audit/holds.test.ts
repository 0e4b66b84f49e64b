import { appendFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { holdsOf } from "../../../../../src/stores/file/audit/holds.ts";
import { placeOf } from "../../../../../src/stores/file/disk/place.ts";
import { temporaryDirectory } from "../../../../helpers/directories.ts";
import { holder, owner, testStore } from "../../../../helpers/file/support.ts";
import { unixTest } from "../../../../helpers/platform.ts";
import { eventually } from "../../../../helpers/waiting.ts";

const LOG = ".lock_audit.log";
const MINUTE = 60_000;
const START = Date.parse("2026-11-16T10:00:00.000Z");

/** A line as it stands in a log; `at` in minutes. */
function line(operation: string, at: number, details: object, slot = 0): string {
  const timestamp = new Date(START + at * MINUTE).toISOString();
  const lockPath = slot === 0 ? "/locks/k.lock" : `/locks/k@${slot}.lock`;
  const entry = { timestamp, operation, lockPath, details: { key: "k", ...details } };
  return `${JSON.stringify({ ...entry, user: "ann", pid: 1 })}\n`;
}

function acquire(at: number, fence: number, who: string, slot = 0): string {
  return line(
    "acquire",
    at,
    { owner: who, fence, slot, waited: 250, metadata: { job: who } },
    slot,
  );
}

function release(at: number, fence: number, who: string, held: number, slot = 0): string {
  return line("release", at, { owner: who, fence, slot, held }, slot);
}

/** What is found in a directory that has this log, and this older one. */
function found(log: string, older = "", limit = 50, bytes?: number) {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, LOG), log);
  if (older !== "") writeFileSync(join(directory, `${LOG}.1`), older);
  return holdsOf(placeOf("k", join(directory, "k.lock")), limit, bytes);
}

describe("what really happened is remembered", () => {
  test("holds that were let go, newest first, with who, how long, and how long they waited", async () => {
    const directory = temporaryDirectory();
    const store = await testStore(directory);
    const metadata = { workflow: "Deploy", job: "web", run_id: "456" };
    const first = await store.claim({ key: "k", owner: owner("first", metadata) });
    const second = store.claim({ key: "k", owner: owner("second") });
    await first.release();
    await (await second).release();
    await (await store.claim({ key: "other", owner: owner("third") })).release();
    const holds = (await store.history?.("k", { limit: 50 })) ?? [];
    expect(holds.map((hold) => hold.owner)).toEqual(["second", "first"]);
    expect(holds[1]).toEqual({
      owner: "first",
      since: expect.stringMatching(/^\d{4}-.*Z$/),
      waited: expect.any(Number),
      held: expect.any(Number),
      fence: first.lease.fence,
      slot: 0,
      end: "released",
      metadata,
    });
    expect(
      Math.abs(Date.parse(holds[1]?.since as string) - Date.parse(first.lease.since)),
    ).toBeLessThan(60_000);
    expect(await store.history?.("k", { limit: 1 })).toEqual([holds[0]]);
    expect(await store.history?.("never", { limit: 50 })).toEqual([]);
  });

  unixTest("signals")(
    "a holder that was killed: its hold ends when the next one takes over",
    async () => {
      const directory = temporaryDirectory();
      const store = await testStore(directory);
      const victim = await holder(directory, { key: "k", owner: owner("victim") });
      await victim.kill("SIGKILL");
      const next = await store.claim({ key: "k", owner: owner("next") });
      expect(await store.history?.("k", { limit: 50 })).toMatchObject([
        { owner: "victim", end: "dead", fence: victim.lease.fence },
      ]);
      await next.release();
      expect(await store.history?.("k", { limit: 50 })).toMatchObject([
        { owner: "next", end: "released" },
        { owner: "victim", end: "dead" },
      ]);
    },
  );

  unixTest("signals")("one that was killed and cleaned away", async () => {
    const directory = temporaryDirectory();
    const store = await testStore(directory);
    const victim = await holder(directory, { key: "k", owner: owner("victim") });
    await victim.kill("SIGKILL");
    await store.clean?.({ owner: "admin" });
    expect(await store.history?.("k", { limit: 50 })).toMatchObject([
      { owner: "victim", end: "dead" },
    ]);
  });

  test("one that was broken, with the loss that its holder saw", async () => {
    const directory = temporaryDirectory();
    const store = await testStore(directory);
    const victim = await holder(directory, { key: "k", owner: owner("victim") });
    await store.break("k", { reason: "stuck", owner: "admin" });
    await victim.lost;
    await eventually(
      () => readFileSync(join(directory, LOG), "utf8"),
      (text) => text.includes('"loss"'),
    );
    expect(await store.history?.("k", { limit: 50 })).toMatchObject([
      { owner: "victim", end: "broken" },
    ]);
  });

  test("one whose ttl ran out, as its holder noticed", async () => {
    const directory = temporaryDirectory();
    const store = await testStore(directory);
    const holding = await store.claim({
      key: "k",
      owner: owner("slow"),
      ttl: 1_000,
      refresh: false,
    });
    await new Promise((resolve) => holding.lost.addEventListener("abort", resolve));
    const holds = await eventually(
      async () => (await store.history?.("k", { limit: 50 })) ?? [],
      (each) => each.length > 0,
    );
    expect(holds).toMatchObject([{ owner: "slow", end: "expired" }]);
    expect(holds[0]?.held).toBeGreaterThan(500);
  });

  test("a lock that is held now is not history yet", async () => {
    const store = await testStore(temporaryDirectory());
    const holding = await store.claim({ key: "k", owner: owner("me") });
    expect(await store.history?.("k", { limit: 50 })).toEqual([]);
    await holding.release();
  });
});

describe("a log as it may be found", () => {
  test("slots end in any order", () => {
    const log = [
      acquire(0, 1, "a", 0),
      acquire(1, 2, "b", 1),
      release(5, 1, "a", 5 * MINUTE, 0),
      acquire(5, 3, "c", 0),
      release(9, 2, "b", 8 * MINUTE, 1),
    ].join("");
    expect(found(log).map(({ owner: who, held, slot }) => [who, held / MINUTE, slot])).toEqual([
      ["b", 8, 1],
      ["a", 5, 0],
    ]);
  });

  test("reclaim lines of earlier versions have no fence: file and owner tell", () => {
    const old = (existingOwner: string, reason: string, at: number) =>
      line("reclaim", at, { existingOwner, newOwner: "next", reason, priority: "high" });
    const log = [
      acquire(0, 1, "a"),
      release(2, 1, "a", 2 * MINUTE),
      acquire(3, 2, "a"),
      old("a", "HOLDER_DEAD", 7),
      acquire(7, 3, "next"),
      old("next", "LOCK_EXPIRED", 17),
      acquire(17, 4, "z"),
    ].join("");
    expect(found(log).map(({ fence, end, held }) => [fence, end, held / MINUTE])).toEqual([
      [3, "expired", 10],
      [2, "dead", 4],
      [1, "released", 2],
    ]);
  });

  test("a lock that was taken from a living holder counts as broken", () => {
    const details = { existingOwner: "a", newOwner: "b", reason: "SAME_USER", fence: 1, slot: 0 };
    expect(found(acquire(0, 1, "a") + line("reclaim", 3, details))).toMatchObject([
      { owner: "a", end: "broken", held: 3 * MINUTE },
    ]);
  });

  test("a ttl that ran out long before somebody took over ended then", () => {
    const log = [
      acquire(0, 1, "a"),
      line("loss", 10, {
        owner: "a",
        fence: 1,
        slot: 0,
        reason: "its ttl is over",
        end: "expired",
      }),
      line("reclaim", 500, { existingOwner: "a", reason: "LOCK_EXPIRED", fence: 1, slot: 0 }),
    ].join("");
    expect(found(log)).toMatchObject([{ end: "expired", held: 10 * MINUTE }]);
  });

  test("garbage, foreign lines and other keys are passed over", () => {
    const log = [
      '{"operation":"acquire","details":{"key":"k"\n',
      '{"key":"k"}\n"key":"k"\n[1]\nnull\n\n\u0000\u0001\n',
      acquire(0, 1, "a"),
      '{"timestamp":"never","operation":"release","details":{"key":"k","fence":1}}\n',
      `${JSON.stringify({ timestamp: new Date(START), operation: "release", details: { key: "K", note: '"key":"k"', fence: 1 } })}\n`,
      line("release", 1, { owner: "x", fence: "1", held: 5 }),
      release(4, 1, "a", 4 * MINUTE),
      '{"timestamp":"2026-11-16T10:00:00.000Z","operation":"acq',
    ].join("");
    expect(found(log)).toMatchObject([{ owner: "a", held: 4 * MINUTE, end: "released" }]);
  });

  test("a clock that went back gives no negative time", () => {
    const details = { existingOwner: "a", reason: "stuck", fence: 1, slot: 0, by: "admin" };
    expect(found(acquire(10, 1, "a") + line("break", 3, details))).toMatchObject([{ held: 0 }]);
  });

  test("a key with quotes, colons and backslashes finds its own lines and no others", async () => {
    const store = await testStore(temporaryDirectory());
    const keys = ['a"b', 'a\\"b', "a", '"key":"a"', "größe/x"];
    for (const key of keys) await (await store.claim({ key, owner: owner(key) })).release();
    for (const key of keys) {
      const holds = (await store.history?.(key, { limit: 50 })) ?? [];
      expect(holds.map((hold) => hold.owner)).toEqual([key]);
    }
  });

  test("a hold may have begun in the log before", () => {
    const holds = found(release(9, 1, "a", 9 * MINUTE), acquire(0, 1, "a"));
    expect(holds).toMatchObject([{ owner: "a", held: 9 * MINUTE }]);
  });

  test("something else in the log's place is no history", async () => {
    const directory = temporaryDirectory();
    mkdirSync(join(directory, LOG));
    const store = await testStore(directory);
    expect(await store.history?.("k", { limit: 50 })).toEqual([]);
  });
});

describe("a large log", () => {
  const pair = (number: number) =>
    acquire(number, number, `owner-${number}`) + release(number + 1, number, "x", number);

  test("is read block by block, wherever a line is cut", () => {
    let log = "";
    for (let number = 0; number < 2_000; number++) log += pair(number);
    expect(Buffer.byteLength(log)).toBeGreaterThan(5 * 64 * 1024);
    const holds = found(log, "", 2_000);
    expect(holds.map(({ fence }) => fence)).toEqual(
      Array.from({ length: 2_000 }, (_, index) => 1_999 - index),
    );
    expect(found(log)).toEqual(holds.slice(0, 50));
  });

  test("a line longer than a block is one line", () => {
    const long = line("acquire", 0, {
      owner: "a",
      fence: 1,
      slot: 0,
      metadata: { job: "ü".repeat(100_000) },
    });
    const holds = found(pair(0) + long + release(1, 1, "a", 5) + pair(2));
    expect(holds.map(({ fence }) => fence)).toEqual([2, 1, 0]);
    expect(holds[1]?.metadata.job).toBe("ü".repeat(100_000));
  });

  test("is not read to its beginning for a key that nobody used lately", () => {
    const other = line("acquire", 0, { key: "busy", padding: "x".repeat(200) });
    const log = pair(1) + other.repeat(1_000);
    expect(found(log, "", 50, 64 * 1024)).toEqual([]);
    expect(found(log, "", 50)).toMatchObject([{ fence: 1 }]);
  });

  test("goes on in the older log where the younger has too little", () => {
    const directory = temporaryDirectory();
    const log = join(directory, LOG);
    for (let number = 0; number < 40; number++) appendFileSync(log, pair(number));
    renameSync(log, `${log}.1`);
    for (let number = 40; number < 50; number++) appendFileSync(log, pair(number));
    const holds = holdsOf(placeOf("k", join(directory, "k.lock")), 30);
    expect(holds.map(({ fence }) => fence)).toEqual(
      Array.from({ length: 30 }, (_, index) => 49 - index),
    );
  });
});
