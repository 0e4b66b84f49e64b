import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Owner } from "../../../../../src/lock/owner.ts";
import type { ReclaimReason } from "../../../../../src/lock/reclaim.ts";
import { temporaryDirectory } from "../../../../helpers/directories.ts";
import { auditLog, failure, holder, owner, testStore } from "../../../../helpers/file/support.ts";
import { unixTest } from "../../../../helpers/platform.ts";
import { eventually } from "../../../../helpers/waiting.ts";

/** Who holds, who comes, and why the second may take the lock from the first though it lives. */
const LIVING: [string, ReclaimReason, "high" | "medium", Owner["metadata"], Owner["metadata"]][] = [
  ["same user", "SAME_USER", "medium", { user_identity: "ann" }, { user_identity: "ann" }],
  [
    "higher privilege",
    "HIGHER_PRIVILEGE",
    "medium",
    { environment: "local" },
    { environment: "ci" },
  ],
  ["emergency", "EMERGENCY_OVERRIDE", "high", {}, { purpose: "emergency" }],
];

describe.each(LIVING)("%s", (_, reason, priority, theirs, mine) => {
  test("does not take a living lock by default", async () => {
    const store = await testStore(temporaryDirectory());
    const held = await store.claim({ key: "k", owner: owner("first", theirs) });
    await failure(
      store.claim({ key: "k", owner: owner("second", mine) }, { timeout: 0 }),
      "TIMEOUT",
    );
    expect(held.lost.aborted).toBe(false);
    expect(await held.release()).toBe("released");
  });

  test("takes it when named, tells the first, and leaves its marks", async () => {
    const directory = temporaryDirectory();
    const store = await testStore(directory);
    const first = await holder(directory, { key: "k", owner: owner("first", theirs) });
    const second = await store.claim(
      { key: "k", owner: owner("second", mine), reclaim: [reason] },
      { timeout: 0 },
    );
    expect(second.reclaimed).toEqual({ from: "first", reason });
    expect(second.lease.fence).toBeGreaterThan(first.lease.fence as number);
    expect(await first.lost).toContain(`it was taken over by second, ${reason}`);
    expect((await store.inspect("k")).holders[0]?.metadata).toEqual({
      ...mine,
      reclaimed_from: "first",
      reclaimed_reason: reason,
    });
    expect(auditLog(directory)[1]).toMatchObject({
      operation: "reclaim",
      details: { existingOwner: "first", newOwner: "second", reason, priority },
    });
    expect(await first.release()).toBe("already-gone");
    expect(await second.release()).toBe("released");
  });
});

describe("the dead", () => {
  test.each(["sema", "json"] as const)("leave their names to the next, in %s", async (format) => {
    const directory = temporaryDirectory();
    const store = await testStore(directory, { format });
    const first = await holder(
      directory,
      { key: "k", owner: owner("victim") },
      { options: { format } },
    );
    await first.kill("SIGKILL");
    const second = await store.claim({ key: "k", owner: owner("heir", { job: "deploy" }) });
    const text = readFileSync(join(directory, "k.lock"), "utf8");
    const metadata = {
      job: "deploy",
      reclaimed_from: "victim",
      reclaimed_reason: "HOLDER_DEAD",
    };
    if (format === "json") expect(JSON.parse(text).metadata).toEqual(metadata);
    else expect(text).toContain(`metadata=${JSON.stringify(metadata)}\n`);
    await second.release();
  });

  test("a reclaim and the acquire after it are two lines, in this order", async () => {
    const directory = temporaryDirectory();
    const store = await testStore(directory);
    const first = await holder(directory, { key: "k" });
    await first.kill("SIGKILL");
    await (await store.claim({ key: "k", owner: owner("heir") })).release();
    expect(auditLog(directory).map(({ operation }) => operation)).toEqual([
      "acquire",
      "reclaim",
      "acquire",
      "release",
    ]);
  });

  test("are left alone by a claim that allows no reclaim", async () => {
    const directory = temporaryDirectory();
    const store = await testStore(directory);
    const first = await holder(directory, { key: "k" });
    await first.kill("SIGKILL");
    const claim = { key: "k", owner: owner("polite"), reclaim: [] };
    await failure(store.claim(claim, { timeout: 0 }), "TIMEOUT");
    const expired = { ...claim, reclaim: ["LOCK_EXPIRED" as const] };
    await failure(store.claim(expired, { timeout: 0 }), "TIMEOUT");
    await (await store.claim({ ...claim, reclaim: ["HOLDER_DEAD"] }, { timeout: 0 })).release();
  });

  unixTest("signals")(
    "a waiter is served when the holder is killed, without a second's delay",
    async () => {
      const directory = temporaryDirectory();
      const store = await testStore(directory);
      const first = await holder(directory, { key: "k" });
      const waiting = store.claim({ key: "k", owner: owner("heir") });
      await eventually(
        () => store.inspect("k"),
        (status) => status.waiting === 1,
      );
      await first.kill("SIGKILL");
      const second = await waiting;
      expect(second.reclaimed?.reason).toBe("HOLDER_DEAD");
      await second.release();
    },
  );
});

test("an emergency does not queue up behind those who wait", async () => {
  const store = await testStore(temporaryDirectory());
  const first = await store.claim({ key: "k", owner: owner("first") });
  const waiting = store.claim({ key: "k", owner: owner("waiting") });
  await eventually(
    () => store.inspect("k"),
    (status) => status.waiting === 1,
  );
  const emergency = await store.claim(
    {
      key: "k",
      owner: owner("fire", { purpose: "emergency" }),
      reclaim: ["EMERGENCY_OVERRIDE"],
    },
    { timeout: 0 },
  );
  expect(emergency.reclaimed?.from).toBe("first");
  await eventually(() => first.lost.aborted, Boolean);
  expect((await store.inspect("k")).waiting).toBe(1);
  await emergency.release();
  await (await waiting).release();
});

test("of several slots, one that may be taken for a strong reason goes before a weak one", async () => {
  const directory = temporaryDirectory();
  const store = await testStore(directory);
  const metadata = { user_identity: "ann" };
  const alive = await store.claim({ key: "k", slots: 2, owner: owner("alive", metadata) });
  const dead = await holder(directory, { key: "k", slots: 2, owner: owner("dead") });
  await dead.kill("SIGKILL");
  const next = await store.claim({
    key: "k",
    slots: 2,
    owner: owner("next", metadata),
    reclaim: ["SAME_USER", "HOLDER_DEAD"],
  });
  expect(next.reclaimed).toEqual({ from: "dead", reason: "HOLDER_DEAD" });
  expect(alive.lost.aborted).toBe(false);
  await next.release();
  await alive.release();
});
