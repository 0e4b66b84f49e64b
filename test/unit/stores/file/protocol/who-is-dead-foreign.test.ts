import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  bystander,
  deadPid,
  eventually,
  failure,
  owner,
  temporaryDirectory,
  testStore,
} from "../../../../helpers/file/support.ts";

const claimant = owner("claimant");
const HOUR = 3_600;
const seconds = () => Math.floor(Date.now() / 1_000);

describe("foreign pid= file", () => {
  const write = (directory: string, pid: number, age: number) =>
    writeFileSync(
      join(directory, "k.lock"),
      `pid=${pid}\ntimestamp=${seconds() - age}\ntag=theirs\n`,
    );

  test.each([
    ["young, pid alive", 10, true, "both", false],
    ["young, pid gone", 10, false, "both", false],
    ["old, pid alive", 2 * HOUR, true, "both", false],
    ["old, pid gone", 2 * HOUR, false, "both", "HOLDER_DEAD"],
    ["young, pid gone, stale: age", 10, false, "age", false],
    ["old, pid alive, stale: age", 2 * HOUR, true, "age", "LOCK_EXPIRED"],
    ["old, pid gone, stale: age", 2 * HOUR, false, "age", "LOCK_EXPIRED"],
  ] as const)("%s", async (_, age, alive, stale, reason) => {
    const directory = temporaryDirectory();
    const store = await testStore(directory, { stale });
    const pid = alive ? (await bystander()).pid : await deadPid();
    write(directory, pid, age);
    const claim = store.claim({ key: "k", owner: claimant }, { timeout: 0 });
    if (reason === false) {
      const error = await failure(claim, "TIMEOUT");
      expect(error.message).toContain(`pid-${pid}`);
      expect((await store.inspect("k")).holders[0]).toMatchObject({ pid, alive, note: "theirs" });
      expect(readFileSync(join(directory, "k.lock"), "utf8")).toContain(`pid=${pid}\n`);
    } else {
      const holding = await claim;
      expect(holding.reclaimed).toEqual({ from: `pid-${pid}`, reason });
      await holding.release();
    }
  });

  test("the stale timeout can be named", async () => {
    const directory = temporaryDirectory();
    const store = await testStore(directory, { staleTimeout: 5_000 });
    write(directory, await deadPid(), 10);
    const holding = await store.claim({ key: "k", owner: claimant }, { timeout: 0 });
    expect(holding.reclaimed?.reason).toBe("HOLDER_DEAD");
    await holding.release();
  });

  test("a waiter gets it when its time comes, without anybody's event", async () => {
    const directory = temporaryDirectory();
    const store = await testStore(directory, { staleTimeout: 2_000 });
    write(directory, await deadPid(), 0);
    const holding = await store.claim({ key: "k", owner: claimant });
    expect(holding.reclaimed?.reason).toBe("HOLDER_DEAD");
    await holding.release();
  });

  test("a waiter gets it as soon as its tool removes it", async () => {
    const directory = temporaryDirectory();
    const store = await testStore(directory);
    const theirs = await bystander();
    write(directory, theirs.pid, 0);
    const waiting = store.claim({ key: "k", owner: claimant });
    await eventually(
      () => store.inspect("k"),
      (status) => status.waiting === 1,
    );
    rmSync(join(directory, "k.lock"));
    const holding = await waiting;
    expect(holding.reclaimed).toBeUndefined();
    await holding.release();
  });
});

describe("foreign JSON", () => {
  const write = (directory: string, json: Record<string, unknown>) =>
    writeFileSync(join(directory, "k.lock"), JSON.stringify(json, null, 2));
  const past = (age: number) => new Date(Date.now() - age * 1_000).toISOString();

  test("since + ttl over: LOCK_EXPIRED, even if its process lives", async () => {
    const directory = temporaryDirectory();
    const store = await testStore(directory);
    const theirs = await bystander();
    write(directory, { owner: `pid-${theirs.pid}@${hostname()}`, since: past(100), ttl: 60 });
    const holding = await store.claim({ key: "k", owner: claimant }, { timeout: 0 });
    expect(holding.reclaimed?.reason).toBe("LOCK_EXPIRED");
    await holding.release();
  });

  test("the old form with a number as since: likewise", async () => {
    const directory = temporaryDirectory();
    const store = await testStore(directory);
    write(directory, { owner: "12345", since: Date.now() - 100_000, ttl: 60 });
    const holding = await store.claim({ key: "k", owner: claimant }, { timeout: 0 });
    expect(holding.reclaimed).toEqual({ from: "12345", reason: "LOCK_EXPIRED" });
    await holding.release();
  });

  test("pid-…@host of this host and gone: HOLDER_DEAD", async () => {
    const directory = temporaryDirectory();
    const store = await testStore(directory);
    write(directory, { owner: `pid-${await deadPid()}@${hostname()}`, since: past(1), ttl: 3_600 });
    const holding = await store.claim({ key: "k", owner: claimant }, { timeout: 0 });
    expect(holding.reclaimed?.reason).toBe("HOLDER_DEAD");
    await holding.release();
  });

  test("pid-…@host of this host and alive: held", async () => {
    const directory = temporaryDirectory();
    const store = await testStore(directory);
    const theirs = await bystander();
    write(directory, { owner: `pid-${theirs.pid}@${hostname()}`, since: past(1), ttl: 3_600 });
    expect((await store.inspect("k")).holders[0]?.alive).toBe(true);
    await failure(store.claim({ key: "k", owner: claimant }, { timeout: 0 }), "TIMEOUT");
    // It ends without a word; the one who waits sees that.
    const waiting = store.claim({ key: "k", owner: claimant });
    await eventually(
      () => store.inspect("k"),
      (status) => status.waiting === 1,
    );
    await theirs.kill("SIGKILL");
    const holding = await waiting;
    expect(holding.reclaimed?.reason).toBe("HOLDER_DEAD");
    await holding.release();
  });

  test.each([
    "pid-1@elsewhere",
    "user-john@session-abc",
    "token-eyJhbGciOiJIUzI1NiIs",
    "ci-gh-456",
  ])("%s: held, and nobody here can know whether it lives", async (id) => {
    const directory = temporaryDirectory();
    const store = await testStore(directory);
    write(directory, { owner: id, since: past(1), ttl: 3_600 });
    expect((await store.inspect("k")).holders[0]).toMatchObject({ owner: id, alive: null });
    const error = await failure(
      store.claim({ key: "k", owner: claimant }, { timeout: 0 }),
      "TIMEOUT",
    );
    expect(error.message).toContain(id);
  });

  test("a waiter gets it when its ttl is over, without anybody's event", async () => {
    const directory = temporaryDirectory();
    const store = await testStore(directory);
    write(directory, { owner: "ci-gh-456", since: new Date().toISOString(), ttl: 2 });
    const holding = await store.claim({ key: "k", owner: claimant });
    expect(holding.reclaimed).toEqual({ from: "ci-gh-456", reason: "LOCK_EXPIRED" });
    await holding.release();
  });
});
