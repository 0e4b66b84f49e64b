import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  bystander,
  eventually,
  failure,
  holder,
  isLinux,
  isWindows,
  owner,
  rewrite,
  temporaryDirectory,
  testStore,
} from "../../../../helpers/file/support.ts";

const claimant = owner("claimant");
const ELSEWHERE = { host: "elsewhere", boot: "00000000-0000-4000-8000-000000000000" };

/** A second of lease is the least there is; a machine that is busy may take far longer. */
const SHORT_LEASE = 1_000;

describe("ours, same host and pid namespace", () => {
  test.skipIf(isWindows)("alive as long as it runs, however long it is silent", async () => {
    const store = await testStore(temporaryDirectory());
    const other = await holder(store.url, { key: "k", deadAfter: SHORT_LEASE });
    await other.kill("SIGSTOP");
    await failure(store.claim({ key: "k", owner: claimant }, { timeout: 2_000 }), "TIMEOUT");
    expect((await store.inspect("k")).holders[0]?.alive).toBe(true);
    await other.kill("SIGCONT");
    expect(await other.release()).toBe("released");
  });

  test("gone: HOLDER_DEAD at once", async () => {
    const directory = temporaryDirectory();
    const store = await testStore(directory);
    const other = await holder(directory, { key: "k", owner: owner("victim") });
    await other.kill("SIGKILL");
    expect((await store.inspect("k")).holders[0]?.alive).toBe(false);
    const holding = await store.claim({ key: "k", owner: claimant }, { timeout: 0 });
    expect(holding.reclaimed).toEqual({ from: "victim", reason: "HOLDER_DEAD" });
    await holding.release();
  });

  test.skipIf(!isLinux)("another process with its pid is not the holder", async () => {
    const directory = temporaryDirectory();
    const store = await testStore(directory);
    const other = await holder(directory, { key: "k" });
    await other.kill("SIGKILL");
    const young = await bystander();
    rewrite(join(directory, "k.lock"), { pid: young.pid, process_id: young.pid });
    const holding = await store.claim({ key: "k", owner: claimant }, { timeout: 0 });
    expect(holding.reclaimed?.reason).toBe("HOLDER_DEAD");
    await holding.release();
  });

  test("killed while the command that it covers lives: held until that ends", async () => {
    const directory = temporaryDirectory();
    const store = await testStore(directory);
    const command = await bystander();
    const other = await holder(directory, { key: "k" }, { cover: command.pid });
    await other.kill("SIGKILL");
    expect((await store.inspect("k")).holders[0]?.alive).toBe(true);
    await failure(store.claim({ key: "k", owner: claimant }, { timeout: 0 }), "TIMEOUT");
    const waiting = store.claim({ key: "k", owner: claimant });
    await eventually(
      () => store.inspect("k"),
      (status) => status.waiting === 1,
    );
    await command.kill("SIGKILL");
    const holding = await waiting;
    expect(holding.reclaimed?.reason).toBe("HOLDER_DEAD");
    await holding.release();
  });

  test.skipIf(!isLinux)("a zombie has ended, though nobody has collected it", async () => {
    const directory = temporaryDirectory();
    const store = await testStore(directory);
    const script = "sleep 0 & echo $! && exec sleep 600";
    const parent = spawn("sh", ["-c", script], { stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(async () => {
      parent.kill("SIGKILL");
      if (parent.exitCode === null && parent.signalCode === null) await once(parent, "exit");
    });
    const [line] = (await once(parent.stdout, "data")) as [Buffer];
    const zombie = Number(line.toString());
    const stat = () => readFileSync(`/proc/${zombie}/stat`, "latin1");
    await eventually(stat, (text) => /\) Z /.test(text));
    const start = stat()
      .slice(stat().lastIndexOf(")") + 2)
      .split(" ")[19] as string;
    const other = await holder(directory, { key: "k" });
    await other.kill("SIGKILL");
    rewrite(join(directory, "k.lock"), { process_id: zombie, process_start: start });
    const holding = await store.claim({ key: "k", owner: claimant }, { timeout: 0 });
    expect(holding.reclaimed?.reason).toBe("HOLDER_DEAD");
    await holding.release();
  });
});

describe.skipIf(!isLinux)("ours, same host, earlier boot", () => {
  test("HOLDER_DEAD at once, although its pid runs again", async () => {
    const directory = temporaryDirectory();
    const store = await testStore(directory);
    const other = await holder(directory, { key: "k" });
    await other.kill("SIGKILL");
    const young = await bystander();
    rewrite(join(directory, "k.lock"), { process_id: young.pid, boot: ELSEWHERE.boot });
    const holding = await store.claim({ key: "k", owner: claimant }, { timeout: 0 });
    expect(holding.reclaimed?.reason).toBe("HOLDER_DEAD");
    await holding.release();
  });
});

describe.skipIf(!isLinux)("ours, other host or pid namespace", () => {
  test.each([
    ["another host", ELSEWHERE],
    ["another pid namespace of this host", { pid_namespace: "pid:[1]" }],
  ])(
    "%s: dead only after its heartbeat was watched unchanged for its lease",
    async (_, changes) => {
      const directory = temporaryDirectory();
      const store = await testStore(directory);
      const other = await holder(directory, { key: "k", deadAfter: SHORT_LEASE });
      await other.kill("SIGKILL");
      // By the wall clock it has been silent for a year, which counts for nothing.
      const silent = new Date(Date.now() - 365 * 86_400_000).toISOString();
      rewrite(join(directory, "k.lock"), { ...changes, beaten: silent, refreshed: silent });
      expect((await store.inspect("k")).holders[0]?.alive).toBeNull();
      await failure(store.claim({ key: "k", owner: claimant }, { timeout: 0 }), "TIMEOUT");
      const start = performance.now();
      const holding = await store.claim({ key: "k", owner: claimant });
      expect(performance.now() - start).toBeGreaterThanOrEqual(SHORT_LEASE * 0.99);
      expect(holding.reclaimed?.reason).toBe("HOLDER_DEAD");
      await holding.release();
    },
  );

  test("a heartbeat that changes keeps the lock, whatever the clocks of the two machines say", async () => {
    const directory = temporaryDirectory();
    const store = await testStore(directory);
    const other = await holder(directory, { key: "k", deadAfter: SHORT_LEASE });
    await other.kill("SIGKILL");
    const lock = join(directory, "k.lock");
    rewrite(lock, ELSEWHERE);
    let beat = 1;
    const beating = setInterval(() => {
      beat += 1;
      rewrite(lock, { beat: String(beat).padStart(10, "0"), beaten: "2001-01-01T00:00:00.000Z" });
    }, 100);
    onTestFinished(() => clearInterval(beating));
    await failure(store.claim({ key: "k", owner: claimant }, { timeout: 2_500 }), "TIMEOUT");
    clearInterval(beating);
    const holding = await store.claim({ key: "k", owner: claimant });
    expect(holding.reclaimed?.reason).toBe("HOLDER_DEAD");
    await holding.release();
  });

  const canUnshare =
    isLinux && spawnSync("unshare", ["--pid", "--fork", "--mount-proc", "true"]).status === 0;

  test.skipIf(!canUnshare)("a real holder in a pid namespace of its own", async () => {
    const directory = temporaryDirectory();
    const store = await testStore(directory);
    const launcher = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"];
    // A real heartbeat needs a turn on the processor now and then: three seconds are three of those.
    const other = await holder(directory, { key: "k", deadAfter: 3_000 }, { launcher });
    expect((await store.inspect("k")).holders[0]).toMatchObject({ pid: 1, alive: null });
    await failure(store.claim({ key: "k", owner: claimant }, { timeout: 4_000 }), "TIMEOUT");
    await other.kill("SIGKILL");
    const holding = await store.claim({ key: "k", owner: claimant });
    expect(holding.reclaimed?.reason).toBe("HOLDER_DEAD");
    await holding.release();
  });
});

describe("any, with a ttl", () => {
  test.skipIf(isWindows)(
    "a stopped holder that did not refresh for its ttl: LOCK_EXPIRED, and it is told",
    async () => {
      const directory = temporaryDirectory();
      const store = await testStore(directory);
      const other = await holder(directory, { key: "k", ttl: 1_000, owner: owner("frozen") });
      await other.kill("SIGSTOP");
      const holding = await store.claim({ key: "k", owner: claimant });
      expect(holding.reclaimed).toEqual({ from: "frozen", reason: "LOCK_EXPIRED" });
      await other.kill("SIGCONT");
      // By its own clock, or by a look at the file: whichever comes first.
      expect(await other.lost).toMatch(
        /its ttl is over|it was taken over by claimant, LOCK_EXPIRED/,
      );
      expect(await other.release()).toBe("already-gone");
      expect((await store.inspect("k")).holders[0]?.owner).toBe("claimant");
      expect(await holding.release()).toBe("released");
    },
  );

  test("a holder that does not refresh, by its own wish, is bounded by its ttl", async () => {
    const directory = temporaryDirectory();
    const store = await testStore(directory);
    const request = { key: "k", ttl: 1_000, refresh: false };
    const first = await store.claim({ ...request, owner: owner("bounded") });
    const second = await store.claim({ key: "k", owner: claimant });
    expect(second.reclaimed).toEqual({ from: "bounded", reason: "LOCK_EXPIRED" });
    await eventually(() => first.lost.aborted, Boolean);
    await second.release();
  });

  test.skipIf(!isLinux)("of a holder elsewhere counts as this process watched it", async () => {
    const directory = temporaryDirectory();
    const store = await testStore(directory);
    const other = await holder(directory, { key: "k", deadAfter: 60_000, ttl: 1_000 });
    await other.kill("SIGKILL");
    rewrite(join(directory, "k.lock"), ELSEWHERE);
    await failure(store.claim({ key: "k", owner: claimant }, { timeout: 0 }), "TIMEOUT");
    const holding = await store.claim({ key: "k", owner: claimant });
    expect(holding.reclaimed?.reason).toBe("LOCK_EXPIRED");
    await holding.release();
  });
});
