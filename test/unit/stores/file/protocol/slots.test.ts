import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Holding, Store } from "../../../../../src/lock/store.ts";
import { temporaryDirectory } from "../../../../helpers/directories.ts";
import { auditLog, failure, holder, owner, testStore } from "../../../../helpers/file/support.ts";
import { eventually } from "../../../../helpers/waiting.ts";

async function take(store: Store, slots: number, count: number): Promise<Holding[]> {
  const holdings: Holding[] = [];
  for (let number = 0; number < count; number++)
    holdings.push(
      await store.claim({ key: "k", slots, owner: owner(`holder ${number}`) }, { timeout: 0 }),
    );
  return holdings;
}

test("N hold at once, each in a slot of its own; the next one waits", async () => {
  const directory = temporaryDirectory();
  const store = await testStore(directory);
  const holdings = await take(store, 3, 3);
  expect(holdings.map(({ lease }) => lease.slot)).toEqual([0, 1, 2]);
  expect(
    readdirSync(directory)
      .filter((name) => name.endsWith(".lock"))
      .sort(),
  ).toEqual(["k.lock", "k@1.lock", "k@2.lock"]);
  const status = await store.inspect("k");
  expect(status.slots).toBe(3);
  expect(status.holders.map(({ slot }) => slot)).toEqual([0, 1, 2]);
  expect(new Set(status.holders.map(({ fence }) => fence)).size).toBe(3);
  await failure(
    store.claim({ key: "k", slots: 3, owner: owner("4th") }, { timeout: 0 }),
    "TIMEOUT",
  );

  const waiting = store.claim({ key: "k", slots: 3, owner: owner("4th") });
  await holdings[1]?.release();
  const fourth = await waiting;
  expect(fourth.lease.slot).toBe(1);
  for (const holding of [...holdings, fourth]) await holding.release();
  expect((await store.inspect("k")).holders).toEqual([]);
});

describe("claims that disagree", () => {
  test("with those who hold get an error that names both numbers", async () => {
    const store = await testStore(temporaryDirectory());
    const [holding] = await take(store, 2, 1);
    for (const slots of [1, 3]) {
      const claim = store.claim({ key: "k", slots, owner: owner("other") }, { timeout: 0 });
      const error = await failure(claim, "SLOTS_MISMATCH");
      expect(error.message).toContain("slots 2");
      expect(error.message).toContain(`slots ${slots}`);
    }
    await holding?.release();
  });

  test("with those who wait, too", async () => {
    const directory = temporaryDirectory();
    const store = await testStore(directory);
    const theirs = await holder(directory, { key: "k", slots: 1 });
    const waiting = store.claim({ key: "k", slots: 1, owner: owner("waiting") });
    await eventually(
      () => store.inspect("k"),
      (status) => status.waiting === 1,
    );
    await failure(store.claim({ key: "k", slots: 2, owner: owner("other") }), "SLOTS_MISMATCH");
    await theirs.release();
    await (await waiting).release();
  });

  test("may do so when nobody holds or waits", async () => {
    const store = await testStore(temporaryDirectory());
    for (const slots of [3, 1, 2]) {
      const holdings = await take(store, slots, slots);
      await failure(
        store.claim({ key: "k", slots, owner: owner("more") }, { timeout: 0 }),
        "TIMEOUT",
      );
      for (const holding of holdings) await holding.release();
    }
  });
});

test("locks of the dead beyond the new number of slots are buried, not counted", async () => {
  const directory = temporaryDirectory();
  const store = await testStore(directory);
  const others = [];
  for (let slot = 0; slot < 3; slot++) others.push(await holder(directory, { key: "k", slots: 3 }));
  for (const other of others) await other.kill("SIGKILL");
  expect(existsSync(join(directory, "k@2.lock"))).toBe(true);
  const [holding] = await take(store, 1, 1);
  expect(readdirSync(directory).filter((name) => name.endsWith(".lock"))).toEqual(["k.lock"]);
  const reclaims = auditLog(directory).filter(({ operation }) => operation === "reclaim");
  expect(reclaims.map(({ details }) => details.slot).sort()).toEqual([0, 1, 2]);
  expect((await store.inspect("k")).holders).toHaveLength(1);
  await failure(store.claim({ key: "k", owner: owner("other") }, { timeout: 0 }), "TIMEOUT");
  await holding?.release();
});

test("a living one beyond them keeps its number for everybody", async () => {
  const directory = temporaryDirectory();
  const store = await testStore(directory);
  const holdings = await take(store, 3, 3);
  await holdings[0]?.release();
  await holdings[1]?.release();
  await failure(store.claim({ key: "k", owner: owner("other") }, { timeout: 0 }), "SLOTS_MISMATCH");
  await holdings[2]?.release();
  await (await store.claim({ key: "k", owner: owner("other") }, { timeout: 0 })).release();
});

test("a foreign lock takes up the first slot only", async () => {
  const directory = temporaryDirectory();
  const store = await testStore(directory);
  const now = Math.floor(Date.now() / 1_000);
  writeFileSync(join(directory, "k.lock"), `pid=${process.pid}\ntimestamp=${now}\n`);
  const [holding] = await take(store, 2, 1);
  expect(holding?.lease.slot).toBe(1);
  expect((await store.inspect("k")).holders.map(({ owner }) => owner)).toEqual([
    `pid-${process.pid}`,
    "holder 0",
  ]);
  await holding?.release();
});

test("break takes one slot or all of them", async () => {
  const store = await testStore(temporaryDirectory());
  const holdings = await take(store, 3, 3);
  const one = await store.break("k", { slot: 1, reason: "stuck", owner: "admin" });
  expect(one.broken.map(({ slot }) => slot)).toEqual([1]);
  await eventually(() => holdings[1]?.lost.aborted, Boolean);
  expect(String(holdings[1]?.lost.reason.message)).toContain("broken by admin (stuck)");
  expect(holdings[0]?.lost.aborted).toBe(false);
  const rest = await store.break("k", { reason: "all", owner: "admin" });
  expect(rest.broken.map(({ slot }) => slot)).toEqual([0, 2]);
  expect(await store.break("k", { reason: "again", owner: "admin" })).toEqual({ broken: [] });
  for (const slot of [-1, 0.5, 1e15])
    await failure(store.break("k", { slot, reason: "x", owner: "admin" }), "BAD_SLOTS");
});

test("a single lock file has one slot", async () => {
  const store = await testStore(join(temporaryDirectory(), "k.lock"));
  await failure(store.claim({ key: "k", slots: 2, owner: owner("me") }), "BAD_SLOTS");
  await (await store.claim({ key: "k", slots: 1, owner: owner("me") })).release();
});
