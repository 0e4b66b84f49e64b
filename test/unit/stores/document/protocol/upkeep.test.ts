import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { Progress } from "../../../../../src/lock/store.ts";
import { inLine, KEY, request, stage } from "../kit.ts";

const { open, memory, document } = stage();

const PUSH = { push: true, signs: true };
const FREEZE = { owner: "admin", reason: "audit", duration: null };

describe("freeze and thaw", () => {
  test("nobody gets a frozen key, its holder goes on, and a thaw gives it to the next", async () => {
    const one = open(PUSH);
    const holding = await one.store.claim(request("a"));
    await one.store.freeze(KEY, FREEZE);
    expect((await one.store.inspect(KEY)).frozen).toMatchObject({ by: "admin", reason: "audit" });
    await holding.renew();
    const told: Progress[] = [];
    const second = one.store.claim(request("b"), { onProgress: (each) => told.push(each) });
    await inLine(one, 1);
    expect(await holding.release()).toBe("released");
    await delay(50);
    expect(document().holders).toEqual([]);
    expect(told.at(-1)?.frozen).toMatchObject({ by: "admin", reason: "audit" });
    await expect(one.store.claim(request("c"), { timeout: 0 })).rejects.toMatchObject({
      code: "TIMEOUT",
      message: expect.stringContaining("frozen by admin: audit, until it is thawed"),
    });
    expect(await one.store.thaw(KEY, { owner: "ops" })).toMatchObject({ by: "admin" });
    expect(document().thawed).toMatchObject({ by: "ops" });
    expect((await second).lease.owner).toBe("b");
    expect(await one.store.thaw(KEY, { owner: "ops" })).toBeNull();
  });

  test("ends with its time, which those who wait do not miss", async () => {
    const one = open(PUSH, { timing: { poll: [60_000, 60_000, 60_000] } });
    await one.store.freeze(KEY, { ...FREEZE, duration: 300 });
    const began = performance.now();
    await one.store.claim(request("a"));
    expect(performance.now() - began).toBeGreaterThan(200);
    expect(performance.now() - began).toBeLessThan(10_000);
    expect((await one.store.inspect(KEY)).frozen).toBeNull();
  });

  test("a break does not thaw", async () => {
    const { store } = open();
    await store.claim(request("a"));
    await store.freeze(KEY, FREEZE);
    await store.break(KEY, { reason: "stuck", owner: "admin" });
    await expect(store.claim(request("b"), { timeout: 0 })).rejects.toMatchObject({
      code: "TIMEOUT",
    });
  });
});

describe("line: newest", () => {
  test("a newer claim ends the older one that waits, and tells it by whom", async () => {
    const [one, other] = [open(), open()];
    const holding = await one.store.claim(request("a"));
    const older = one.store.claim(request("old", { line: "newest" }));
    await inLine(one, 1);
    const ended = expect(older).rejects.toMatchObject({
      code: "SUPERSEDED",
      by: "new",
      message: expect.stringContaining("superseded by new"),
    });
    const newer = other.store.claim(request("new", { line: "newest" }));
    await ended;
    await holding.release();
    expect((await newer).lease.owner).toBe("new");
  });

  test("a claim that lost its place ends none that came after it, but is ended by it", async () => {
    const one = open();
    await one.store.claim(request("a"));
    const older = one.store.claim(request("old", { line: "newest" }));
    const ended = expect(older).rejects.toMatchObject({ code: "SUPERSEDED", by: "new" });
    await inLine(one, 1);
    // As if it had been passed over, and another one had come since: neither met the other in line.
    const { version } = memory().current(KEY);
    const written = document();
    const line = written.line.map((waiter) => ({ ...waiter, id: "x", owner: "new" }));
    memory().swap(KEY, version, JSON.stringify({ ...written, nonce: "n", line }));
    await ended;
    expect(document().line.map(({ owner }) => owner)).toEqual(["new"]);
  });
});

describe("until: run", () => {
  const run = {
    id: "forge.example/o/r/1/1",
    forge: { api: "https://forge.example", repository: "o/r", run: "1", attempt: "1" },
  };

  test("later claims of the run share the fence; another run waits", async () => {
    const [one, other] = [open(), open()];
    const first = await one.store.claim(request("job-1", { run }));
    const second = await other.store.claim(request("job-2", { run }), { timeout: 0 });
    expect(second.lease.fence).toBe(first.lease.fence);
    expect(second.lease.token).not.toBe(first.lease.token);
    expect(await one.store.verify(second.lease)).toBe(true);
    await expect(
      other.store.claim(request("x", { run: { id: "forge.example/o/r/1/2", forge: null } }), {
        timeout: 0,
      }),
    ).rejects.toMatchObject({ code: "TIMEOUT" });
    expect(await other.store.releaseRun(KEY, { id: "another" })).toEqual({ heldBy: "job-1" });
    expect(await other.store.releaseRun(KEY, run)).toBe("released");
    expect(await other.store.releaseRun(KEY, run)).toBe("already-gone");
    expect(await one.store.verify(first.lease)).toBe(false);
  });

  test("any of its leases lets go", async () => {
    const { store } = open();
    await store.claim(request("job-1", { run }));
    const second = await store.claim(request("job-2", { run }));
    expect(await store.release(second.lease)).toBe("released");
    expect(document().holders).toEqual([]);
  });

  test("ends when the forge says that the run is over", async () => {
    let isAlive = true;
    const [one, other] = [open(), open({}, { alive: async () => isAlive })];
    await one.store.claim(request("job-1", { run }));
    const next = other.store.claim(request("next"));
    await inLine(one, 1);
    isAlive = false;
    expect((await next).reclaimed).toEqual({ from: "job-1", reason: "HOLDER_DEAD" });
  });

  test("ends with its ttl for everybody, though the forge says that the run goes on", async () => {
    const [one, other] = [open(), open({}, { alive: async () => true })];
    const first = await one.store.claim(request("job-1", { run, ttl: 1_500 }));
    const shared = await other.store.claim(request("job-2", { run }));
    expect(shared.lease).toMatchObject({ fence: first.lease.fence, ttl: 2 });
    const told = [first, shared].map(
      ({ lost }) => new Promise((resolve) => lost.addEventListener("abort", () => resolve(lost))),
    );
    await Promise.all(told);
    // Each is told by its own clock; the hold stays until it is over for those who wait.
    expect(document().holders).toHaveLength(1);
    await delay(Date.parse(first.lease.since) + 1_500 - Date.now());
    // Over, and not yet to be taken: a later job of the run does not share it any more.
    const again = await other.store.claim(request("job-3", { run }));
    expect(again.reclaimed).toEqual({ from: "job-1", reason: "LOCK_EXPIRED" });
    expect(again.lease.fence).toBeGreaterThan(first.lease.fence ?? 0);
  });
});

describe("a detached hold", () => {
  test("ends at its fixed end, also for one who comes only then", async () => {
    const [one, other] = [open(), open()];
    const more = { ttl: 1_000, refresh: false, life: { kind: "until", at: null } };
    await one.store.claim(request("detached", more));
    // As if its process were gone.
    one.register.faults.away = () => true;
    await expect(other.store.claim(request("b"), { timeout: 0 })).rejects.toMatchObject({
      code: "TIMEOUT",
    });
    await delay(1_150);
    const next = await other.store.claim(request("b"), { timeout: 0 });
    expect(next.reclaimed).toEqual({ from: "detached", reason: "LOCK_EXPIRED" });
    delete one.register.faults.away;
  });
});

describe("break, clean, history", () => {
  test("a holder is told who broke its lock and why", async () => {
    const { store } = open();
    const holding = await store.claim(request("a"));
    await store.break(KEY, { reason: "it hangs", owner: "admin" });
    await expect.poll(() => holding.lost.aborted, { timeout: 60_000 }).toBe(true);
    expect(holding.lost.reason.message).toBe(
      'The lock "production" was lost: it was broken by admin (it hangs).',
    );
    expect(await holding.release()).toBe("already-gone");
    expect(await store.history(KEY, { limit: 5 })).toMatchObject([{ owner: "a", end: "broken" }]);
  });

  test("clean removes the dead alone, and says what it would remove", async () => {
    let isDead = false;
    const [one, dead] = [open(PUSH), open({ ...PUSH, faults: { away: () => isDead } })];
    await dead.store.claim(request("dead"));
    void dead.store.claim(request("waits")).catch(() => {});
    await inLine(one, 1);
    expect(await one.store.clean({ owner: "admin" })).toEqual({ removed: [], failed: [] });
    isDead = true;
    memory().sessions.clear();
    const would = await one.store.clean({ owner: "admin", dryRun: true });
    expect(would.removed.map(({ why }) => why)).toEqual([
      "the lock of dead: it is dead",
      "the place in line of waits: it is dead",
    ]);
    expect(document().holders).toHaveLength(1);
    // As if its process were gone: else the claim that still waits joins again at once.
    dead.register.faults.away = () => true;
    expect(await one.store.clean({ owner: "admin" })).toEqual(would);
    expect(document()).toMatchObject({ holders: [], line: [] });
    delete dead.register.faults.away;
  });

  test("clean removes a place that was never taken, of which nothing is known, where a time is named", async () => {
    const [one, gone] = [open(), open()];
    const holding = await one.store.claim(request("holds"));
    await gone.store.join?.(request("early"));
    void gone.store.claim(request("ready")).catch(() => {});
    await inLine(one, 2);
    // As if its process were gone.
    gone.register.faults.away = () => true;
    expect(await one.store.clean({ owner: "admin" })).toEqual({ removed: [], failed: [] });
    const day = { owner: "admin", staleTimeout: 86_400_000 };
    expect(await one.store.clean(day)).toEqual({ removed: [], failed: [] });
    const { removed } = await one.store.clean({ owner: "admin", staleTimeout: 0, dryRun: true });
    expect(removed.map(({ why }) => why)).toContain(
      "the place in line of early: it was not ready for the stale timeout",
    );
    await holding.release();
    await one.store.clean({ owner: "admin", staleTimeout: 0 });
    expect(document().line).not.toContainEqual(expect.objectContaining({ owner: "early" }));
    delete gone.register.faults.away;
  });

  test("a document that cannot be read is shown, refused to claims, and replaced by a break", async () => {
    const { store } = open();
    memory().swap(KEY, null, "garbage");
    const { holders } = await store.inspect(KEY);
    expect(holders).toMatchObject([{ alive: null, problem: expect.stringContaining(KEY) }]);
    expect(await store.list()).toHaveLength(1);
    await expect(store.claim(request("a"))).rejects.toMatchObject({ code: "BAD_LOCK_FILE" });
    expect((await store.break(KEY, { reason: "garbage", owner: "admin" })).broken).toHaveLength(1);
    await store.claim(request("a"), { timeout: 0 });
  });

  test("history tells the latest holds, newest first", async () => {
    const { store } = open();
    for (const id of ["a", "b", "c"]) await (await store.claim(request(id))).release();
    const holds = await store.history(KEY, { limit: 2 });
    expect(holds.map(({ owner, end }) => [owner, end])).toEqual([
      ["c", "released"],
      ["b", "released"],
    ]);
  });

  test("what a claim says of its token is a digest", async () => {
    const { store } = open();
    const { lease } = await store.claim(request("a"));
    expect(memory().current(KEY).text).not.toContain(lease.token);
  });
});

describe("an emergency", () => {
  test("takes a living lock where it is allowed to, past those who wait", async () => {
    const one = open();
    await one.store.claim(request("a"));
    void one.store.claim(request("b")).catch(() => {});
    await inLine(one, 1);
    const owner = { id: "fire", metadata: { purpose: "emergency" } };
    const reclaim = ["EMERGENCY_OVERRIDE"] as const;
    const holding = await one.store.claim({ key: KEY, owner, reclaim }, { timeout: 0 });
    expect(holding.reclaimed).toEqual({ from: "a", reason: "EMERGENCY_OVERRIDE" });
  });
});
