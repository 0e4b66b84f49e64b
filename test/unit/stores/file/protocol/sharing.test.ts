import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { ClaimRequest, Store } from "../../../../../src/lock/store.ts";
import { temporaryDirectory } from "../../../../helpers/directories.ts";
import {
  auditLog,
  bystander,
  failure,
  holder,
  owner,
  testStore,
} from "../../../../helpers/file/support.ts";
import { isWindows, unixTest } from "../../../../helpers/platform.ts";
import { eventually, until } from "../../../../helpers/waiting.ts";

const request = (id: string, more: Partial<ClaimRequest> = {}): ClaimRequest => ({
  key: "k",
  slots: 3,
  owner: owner(id),
  ...more,
});
const HEAVY = { slots: 3, weight: 2 };

const locksIn = (directory: string) =>
  readdirSync(directory).filter((name) => name.endsWith(".lock") && name !== ".holdfast");
const sideOf = (directory: string) => join(directory, ".holdfast", "k.lock");
const fieldsOf = (path: string) =>
  Object.fromEntries(
    readFileSync(path, "utf8")
      .split("\n")
      .map((line) => line.split(/=(.*)/, 2)),
  );

async function scene() {
  const directory = temporaryDirectory();
  const store = (await testStore(directory)) as Required<Store>;
  return { directory, store };
}

describe("a heavy lock", () => {
  test("has a file for each slot, an ordinary lock with one fence and token; one line, one hold", async () => {
    const { directory, store } = await scene();
    const holding = await store.claim(request("heavy", HEAVY));
    const { lease } = holding;
    expect(locksIn(directory)).toEqual(["k.lock", "k@1.lock"]);
    const [first, second] = locksIn(directory).map((name) => fieldsOf(join(directory, name)));
    expect(first).toMatchObject({ slot: "0", slots_together: "0,1", fence: String(lease.fence) });
    expect(second).toEqual({ ...first, slot: "1" });
    await holding.renew();
    const [beaten, beatenToo] = locksIn(directory).map((name) => fieldsOf(join(directory, name)));
    expect(beaten?.beat).not.toBe(first?.beat);
    expect(beatenToo).toEqual({ ...beaten, slot: "1" });
    await holding.release();
    expect(locksIn(directory)).toEqual([]);
    const log = auditLog(directory);
    expect(log.map(({ operation }) => operation)).toEqual(["acquire", "release"]);
    for (const { details } of log) expect(details).toMatchObject({ slot: 0, slots: [0, 1] });
    expect(await store.history("k", { limit: 5 })).toMatchObject([
      { owner: "heavy", fence: lease.fence, end: "released" },
    ]);
  });

  /** `weight`: of the claim that then gets the slots `slots`. */
  async function expectLost(damage: (file: string) => void, weight: number, slots: number[]) {
    const { directory, store } = await scene();
    const holding = await store.claim(request("heavy", HEAVY));
    damage(join(directory, "k@1.lock"));
    expect(await store.verify(holding.lease)).toBe(false);
    await failure(holding.renew(), "LOCK_LOST");
    await eventually(() => holding.lost.aborted, Boolean);
    const heir = await store.claim(request("heir", { weight }), { timeout: 0 });
    expect(heir.lease.slots).toEqual(slots);
    await heir.release();
  }

  test("is lost with any one of its files, and what is left of it is free", () =>
    expectLost((file) => rmSync(file), 3, [0, 1, 2]));

  unixTest("files in use that may be replaced and removed")(
    "is lost with a file that another tool has replaced",
    () =>
      expectLost(
        (file) => {
          // As semats does.
          writeFileSync(`${file}.new`, `pid=${process.pid}\ntimestamp=${Date.now()}\n`);
          renameSync(`${file}.new`, file);
        },
        2,
        [0, 2],
      ),
  );

  test("is released by its token, and adopted, whole", async () => {
    const { directory, store } = await scene();
    const keeper = await bystander();
    const lease = await store.claimFor(keeper.pid, request("heavy", HEAVY));
    expect(await store.verify(lease)).toBe(true);
    // Meant for another process.
    await failure(store.adopt(lease), "LOCK_LOST");
    expect(await store.release({ ...lease, token: "0".repeat(32) })).toBe("already-gone");
    expect(await store.release(lease)).toBe("released");
    expect(locksIn(directory)).toEqual([]);
    const own = await store.claimFor(process.pid, request("heavy", HEAVY));
    const holding = await store.adopt(own);
    await holding.renew();
    rmSync(join(directory, "k.lock"));
    await eventually(() => holding.lost.aborted, Boolean);
  });

  test("is reclaimed and cleaned whole, with one line each", async () => {
    const { directory, store } = await scene();
    for (const how of ["reclaim", "clean"]) {
      const killed = await holder(directory, { key: "k", ...HEAVY });
      await killed.kill("SIGKILL");
      const { fence } = killed.lease;
      if (how === "clean") {
        const { removed } = await store.clean({ owner: "admin" });
        expect(removed.map(({ path }) => path)).toEqual([
          join(directory, "k.lock"),
          join(directory, "k@1.lock"),
        ]);
      } else await (await store.claim(request("heir", HEAVY), { timeout: 0 })).release();
      expect(locksIn(directory)).toEqual([]);
      const lines = auditLog(directory).filter(({ operation }) => operation === how);
      expect(lines.map(({ details }) => details)).toMatchObject([{ fence, slots: [0, 1] }]);
    }
    expect((await store.history("k", { limit: 9 })).map(({ end }) => end)).toEqual([
      "dead",
      "released",
      "dead",
    ]);
  });

  test("of a run is shared by its other jobs, but not by one that needs more of it", async () => {
    const { store } = await scene();
    const run = { id: "forge.example/run/1", forge: null };
    const first = await store.claim(request("job-1", { ...HEAVY, run }));
    const second = await store.claim(request("job-2", { run }), { timeout: 0 });
    expect(second.lease).toMatchObject({ fence: first.lease.fence, slots: [0, 1] });
    await failure(store.claim(request("job-3", { weight: 3, run }), { timeout: 0 }), "BAD_WEIGHT");
    expect(await store.releaseRun("k", run)).toBe("released");
    expect((await store.inspect("k")).holders).toEqual([]);
  });
});

describe("kill -9 between two files of a lock", () => {
  for (const when of ["made", "removed"]) {
    test(`that is being ${when} leaves nothing half held`, async () => {
      const { directory, store } = await scene();
      const script = fileURLToPath(
        new URL("../../../../helpers/file/torn-holder.ts", import.meta.url),
      );
      const child = spawn(process.execPath, [script, directory, when], { stdio: "inherit" });
      const [code, signal] = await once(child, "exit");
      // Windows tells of no signal, only of the code that Node ends a process with.
      expect(signal ?? code).toBe(isWindows ? 1 : "SIGKILL");
      const left = when === "made" ? "k.lock" : "k@1.lock";
      expect(locksIn(directory)).toEqual([left]);
      const status = await store.inspect("k");
      expect(status.holders).toMatchObject([{ owner: "torn", reclaimable: "HOLDER_DEAD" }]);
      const all = await store.claim(request("all", { weight: "all" }), { timeout: 0 });
      expect(all.lease.slots).toEqual([0, 1, 2]);
      // It was no hold any more, or not yet: nobody was robbed.
      expect(all.reclaimed).toBeUndefined();
      await all.release();
    });
  }

  test("by another process that released it for its living holder, likewise", async () => {
    const { directory, store } = await scene();
    const holding = await holder(directory, { key: "k", ...HEAVY });
    rmSync(join(directory, "k.lock"));
    expect(await holding.lost).toContain("lock file is gone");
    const all = await store.claim(request("all", { weight: "all" }), { timeout: 0 });
    expect(await holding.release()).toBe("already-gone");
    expect(await store.verify(all.lease)).toBe(true);
  });
});

describe("the line", () => {
  test("tells by its tickets' names what is unusual, and by nothing else", async () => {
    const { directory, store } = await scene();
    const all = await store.claim(request("all", { weight: 3 }));
    const names = () => readdirSync(sideOf(directory)).filter((name) => name.endsWith(".ticket"));
    const ends = () => names().map((name) => name.replace(/^\d{16}-[0-9a-f]{16}/, ""));
    const turns = [store.claim(request("plain"))];
    await until(() => names().length === 1);
    turns.push(store.claim(request("odd", { weight: 2, priority: -7 })));
    await until(() => names().length === 2);
    const place = await store.join(request("early", { weight: 2 }));
    expect(ends()).toEqual([".ticket", ".p-7.w2.ticket", ".w2.n.ticket"]);
    const taken = place.take();
    const ready = `.w2.r${all.lease.fence}.ticket`;
    await until(() => ends().includes(ready));
    expect(ends()).toEqual([".ticket", ".p-7.w2.ticket", ready]);
    await all.release();
    await (await turns[0])?.release();
    await (await taken).release();
    await (await turns[1])?.release();
    expect(names()).toEqual([]);
  });

  test("remembers who was passed as long as somebody is in line whom that concerns", async () => {
    const { directory, store } = await scene();
    const fence = () => readFileSync(join(sideOf(directory), "fence"), "utf8");
    const all = await store.claim(request("all", { weight: 2 }));
    const plain = fence();
    const heavy = store.claim(request("heavy", { weight: 3 }));
    await eventually(
      () => store.inspect("k"),
      (status) => status.waiting === 1,
    );
    for (const number of [1, 2]) {
      const light = await store.claim(request("light", { priority: 1 }), { timeout: 0 });
      expect(fence().match(/\d{16}:\d{16}/g)).toHaveLength(number);
      await light.release();
    }
    await all.release();
    await (await heavy).release();
    expect(fence()).toMatch(/^fence=\d{16} slots=0003\nkey=k\n$/);
    expect(fence()).toHaveLength(plain.length);
  });

  test("loses a claim that died before it was ready as soon as somebody comes behind it", async () => {
    const { directory, store } = await scene();
    const side = sideOf(directory);
    await (await store.claim(request("first"))).release();
    const waiter = await holder(directory, { key: "k", ...HEAVY });
    const lock = join(directory, "k.lock");
    const {
      process_id: pid,
      process_start: start,
      boot,
      pid_namespace: namespace,
      host,
    } = fieldsOf(lock);
    const mark = { pid: Number(pid), start, boot, namespace, host };
    const ticket = {
      owner: "early",
      note: null,
      metadata: {},
      slots: 3,
      since: 1,
      lease: 30_000,
      beat: "0",
    };
    const path = join(side, "0000000000000001-abc.n.ticket");
    writeFileSync(path, JSON.stringify({ ...ticket, process: mark }));
    expect((await store.inspect("k")).waiters).toMatchObject([{ owner: "early", ready: false }]);
    await (await store.claim(request("passes"), { timeout: 0 })).release();
    expect(readdirSync(side)).toContain("0000000000000001-abc.n.ticket");
    await waiter.kill("SIGKILL");
    await (await store.claim(request("next"), { timeout: 0 })).release();
    expect(readdirSync(side).filter((name) => name.endsWith(".ticket"))).toEqual([]);
  });
});

test("names that no lock file can hold are refused, and nothing is written", async () => {
  const { directory, store } = await scene();
  const resources = Array.from({ length: 400 }, (_, index) => `${index}`.padStart(60, "x"));
  await failure(store.claim({ key: "k", owner: owner("me"), resources }), "BAD_RESOURCES");
  expect(readdirSync(directory)).toEqual([]);
});

describe("what 1.0.0-rc.1 wrote", () => {
  // Its files as they were, but for the machine, which is made one that nobody can ask.
  const fixtures = fileURLToPath(new URL("./rc1", import.meta.url));

  for (const format of ["sema", "json"]) {
    test(`in the format ${format} is of weight 1, ready and without names`, async () => {
      const { directory, store } = await scene();
      mkdirSync(sideOf(directory), { recursive: true });
      const put = (name: string, to: string) => copyFileSync(join(fixtures, name), to);
      put(`lock.${format}`, join(directory, "k.lock"));
      for (const name of readdirSync(fixtures).filter((each) => !each.startsWith("lock.")))
        put(name, join(sideOf(directory), name));
      const plain = { weight: 1, priority: 0, ready: true };
      expect(await store.inspect("k")).toMatchObject({
        slots: 1,
        resources: null,
        holders: [{ owner: "old-holder", weight: 1, slots: [0], resources: null, note: "v1" }],
        waiters: [
          { owner: "old-waiter-1", position: 1, ...plain },
          { owner: "old-waiter-2", position: 2, ...plain },
        ],
        frozenSlots: [],
      });
      await failure(store.claim({ key: "k", owner: owner("me") }, { timeout: 0 }), "TIMEOUT");
      await failure(store.claim(request("me"), { timeout: 0 }), "SLOTS_MISMATCH");
      const [broken] = (await store.break("k", { reason: "old", owner: "admin" })).broken;
      await store.break("k", { reason: "old", owner: "admin", line: true });
      const heir = await store.claim({ key: "k", owner: owner("heir") }, { timeout: 0 });
      expect(heir.lease.fence).toBeGreaterThan(broken?.fence as number);
    });
  }
});
