import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Store } from "../../../../src/lock/store.ts";
import { temporaryDirectory } from "../../../helpers/directories.ts";
import {
  auditLog,
  bystander,
  deadPid,
  failure,
  holder,
  owner,
  testStore,
} from "../../../helpers/file/support.ts";
import { eventually } from "../../../helpers/waiting.ts";

const claimant = owner("claimant");
const request = { key: "k", owner: claimant };

/** What every store with `claimFor` has. */
async function fileStore(directory: string) {
  const store = await testStore(directory);
  return store as Store & Required<Pick<Store, "claimFor" | "adopt">>;
}

describe("claimed for another process", () => {
  test("the lock names that process, and so does the record of it", async () => {
    const directory = temporaryDirectory();
    const store = await fileStore(directory);
    const other = await bystander();
    const lease = await store.claimFor(other.pid, request);
    expect(lease).toMatchObject({ key: "k", owner: "claimant", slot: 0, store: store.url });
    const { holders } = await store.inspect("k");
    expect(holders).toMatchObject([{ pid: other.pid, alive: true, fence: lease.fence }]);
    expect(readFileSync(join(directory, "k.lock"), "utf8")).toMatch(`pid=${other.pid}\n`);
    expect(auditLog(directory)).toMatchObject([{ operation: "acquire", pid: other.pid }]);
    expect(await store.verify(lease)).toBe(true);
    await failure(store.claim(request, { timeout: 0 }), "TIMEOUT");
    expect(await store.release(lease)).toBe("released");
  });

  test("it is free as soon as that process has ended, though nobody ever adopted it", async () => {
    const store = await fileStore(temporaryDirectory());
    const other = await bystander();
    const { fence } = await store.claimFor(other.pid, request);
    await other.kill("SIGKILL");
    const next = await store.claim(request, { timeout: 0 });
    expect(next.lease.fence).toBeGreaterThan(fence as number);
    expect(next.reclaimed).toEqual({ from: "claimant", reason: "HOLDER_DEAD" });
    await next.release();
  });

  test("it waits in line under its own name, and leaves it when it is cancelled", async () => {
    const directory = temporaryDirectory();
    const store = await fileStore(directory);
    const first = await holder(directory, { key: "k" });
    const other = await bystander();
    const cancel = new AbortController();
    const claim = store.claimFor(other.pid, request, { signal: cancel.signal });
    await eventually(
      () => store.inspect("k"),
      ({ waiting }) => waiting === 1,
    );
    cancel.abort();
    await failure(claim, "ABORTED");
    expect(await store.inspect("k")).toMatchObject({ waiting: 0 });
    await first.release();
  });

  test("a process that is not there is bad input, and nothing is written", async () => {
    const directory = temporaryDirectory();
    const store = await fileStore(directory);
    const error = await failure(store.claimFor(await deadPid(), request), "BAD_OPTION");
    expect(error.message).toMatch(/There is no process \d+/);
    expect(readdirSync(directory)).toEqual([]);
  });
});

describe("adopted", () => {
  test("it is held as if it had been claimed: renewed, let go, once", async () => {
    const directory = temporaryDirectory();
    const store = await fileStore(directory);
    const lease = await store.claimFor(process.pid, request);
    const holding = await store.adopt(lease);
    expect(holding.lease).toEqual(lease);
    await holding.renew();
    expect(await holding.release()).toBe("released");
    expect(await holding.release()).toBe("already-gone");
    expect(holding.lost.aborted).toBe(false);
    expect(auditLog(directory).map(({ operation }) => operation)).toEqual(["acquire", "release"]);
  });

  test("its holder learns that it was broken", async () => {
    const store = await fileStore(temporaryDirectory());
    const holding = await store.adopt(await store.claimFor(process.pid, request));
    await store.break("k", { reason: "test", owner: "somebody" });
    await eventually(
      () => holding.lost.aborted,
      (lost) => lost,
    );
    expect(String(holding.lost.reason)).toMatch(/broken by somebody/);
  });

  test("without a refresh its ttl is the bound, counted from the grant", async () => {
    const store = await fileStore(temporaryDirectory());
    const lease = await store.claimFor(process.pid, { ...request, ttl: 1_000, refresh: false });
    const holding = await store.adopt(lease, { refresh: false });
    await eventually(
      () => holding.lost.aborted,
      (lost) => lost,
    );
    expect(String(holding.lost.reason)).toMatch(/ttl is over/);
  });

  test.each(["broken", "taken by another", "damaged"])("not when it was %s before", async (how) => {
    const directory = temporaryDirectory();
    const store = await fileStore(directory);
    const lease = await store.claimFor(process.pid, request);
    if (how === "damaged") writeFileSync(join(directory, "k.lock"), "garbage");
    else await store.break("k", { reason: "test", owner: "somebody" });
    const next = how === "taken by another" ? await store.claim(request) : null;
    const error = await failure(store.adopt(lease), "LOCK_LOST");
    expect(error.message).toMatch(/lost before its holder could adopt it/);
    expect(next?.lost.aborted ?? false).toBe(false);
    await next?.release();
  });

  test("not by a process that it was not meant for", async () => {
    const store = await fileStore(temporaryDirectory());
    const other = await bystander();
    const lease = await store.claimFor(other.pid, request);
    await failure(store.adopt(lease), "LOCK_LOST");
    expect((await store.inspect("k")).holders).toMatchObject([{ pid: other.pid, alive: true }]);
    await store.release(lease);
  });
});

test("clean of one key leaves what was left of the others", async () => {
  const directory = temporaryDirectory();
  const store = await testStore(directory);
  const killed = await Promise.all(["a", "b"].map((key) => holder(directory, { key })));
  for (const each of killed) await each.kill("SIGKILL");
  const cleaned = await store.clean?.({ owner: "cleaner", key: "a" });
  expect(cleaned?.removed.map(({ path }) => path)).toEqual([join(directory, "a.lock")]);
  expect((await store.inspect("b")).holders).toMatchObject([{ alive: false }]);
});
