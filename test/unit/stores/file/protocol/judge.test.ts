import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import type { ClaimOptions, Holding, Store } from "../../../../../src/lock/store.ts";
import type { StoreOptions } from "../../../../../src/stores/options.ts";
import { temporaryDirectory } from "../../../../helpers/directories.ts";
import {
  bystander,
  deadPid,
  failure,
  holder,
  isLinux,
  owner,
  rewrite,
  testStore,
} from "../../../../helpers/file/support.ts";
import { linuxDescribe, linuxTest, testWhere, unixTest } from "../../../../helpers/platform.ts";
import { childrenOf } from "../../../../helpers/processes.ts";
import { eventually } from "../../../../helpers/waiting.ts";

const claimant = owner("claimant");
const ELSEWHERE = { host: "elsewhere", boot: "00000000-0000-4000-8000-000000000000" };

async function scene(options: StoreOptions = {}) {
  const directory = temporaryDirectory();
  return { directory, store: await testStore(directory, options) };
}

/** Claims the key, at once unless said otherwise, and checks why it was taken from its holder. */
async function expectReclaim(store: Store, reason: string, options: ClaimOptions = { timeout: 0 }) {
  await expectReclaimed(store.claim({ key: "k", owner: claimant }, options), reason);
}

async function expectReclaimed(claim: Promise<Holding>, reason: string) {
  const holding = await claim;
  expect(holding.reclaimed?.reason).toBe(reason);
  await holding.release();
}

function waiterIn(store: Store) {
  return eventually(
    () => store.inspect("k"),
    (status) => status.waiting === 1,
  );
}

/** A second of lease is the least there is; a machine that is busy may take far longer. */
const SHORT_LEASE = 1_000;

describe("ours, same host and pid namespace", () => {
  unixTest("signals")("alive as long as it runs, however long it is silent", async () => {
    const store = await testStore(temporaryDirectory());
    const other = await holder(store.url, { key: "k", deadAfter: SHORT_LEASE });
    await other.kill("SIGSTOP");
    await failure(store.claim({ key: "k", owner: claimant }, { timeout: 2_000 }), "TIMEOUT");
    expect((await store.inspect("k")).holders[0]?.alive).toBe(true);
    await other.kill("SIGCONT");
    expect(await other.release()).toBe("released");
  });

  test("gone: HOLDER_DEAD at once", async () => {
    const { directory, store } = await scene();
    const other = await holder(directory, { key: "k", owner: owner("victim") });
    await other.kill("SIGKILL");
    expect((await store.inspect("k")).holders[0]?.alive).toBe(false);
    const holding = await store.claim({ key: "k", owner: claimant }, { timeout: 0 });
    expect(holding.reclaimed).toEqual({ from: "victim", reason: "HOLDER_DEAD" });
    await holding.release();
  });

  linuxTest("another process with its pid is not the holder", async () => {
    const { directory, store } = await scene();
    const other = await holder(directory, { key: "k" });
    await other.kill("SIGKILL");
    const young = await bystander();
    rewrite(join(directory, "k.lock"), { pid: young.pid, process_id: young.pid });
    await expectReclaim(store, "HOLDER_DEAD");
  });

  test("killed while the command that it covers lives: held until that ends", async () => {
    const { directory, store } = await scene();
    const command = await bystander();
    const other = await holder(directory, { key: "k" }, { cover: command.pid });
    await other.kill("SIGKILL");
    expect((await store.inspect("k")).holders[0]?.alive).toBe(true);
    await failure(store.claim({ key: "k", owner: claimant }, { timeout: 0 }), "TIMEOUT");
    const waiting = store.claim({ key: "k", owner: claimant });
    await waiterIn(store);
    await command.kill("SIGKILL");
    await expectReclaimed(waiting, "HOLDER_DEAD");
  });

  linuxTest("a zombie has ended, though nobody has collected it", async () => {
    const { directory, store } = await scene();
    // The child ends with its input, after its parent has become a program that collects no children.
    const script = "exec 3<&0; cat <&3 & echo $! && exec sleep 600";
    const parent = spawn("sh", ["-c", script], { stdio: ["pipe", "pipe", "inherit"] });
    onTestFinished(async () => {
      parent.kill("SIGKILL");
      if (parent.exitCode === null && parent.signalCode === null) await once(parent, "exit");
    });
    const [line] = (await once(parent.stdout, "data")) as [Buffer];
    const zombie = Number(line.toString());
    const stat = () => readFileSync(`/proc/${zombie}/stat`, "latin1");
    const program = () => readFileSync(`/proc/${parent.pid}/comm`, "latin1");
    await eventually(program, (name) => name === "sleep\n");
    parent.stdin.end();
    await eventually(stat, (text) => /\) Z /.test(text));
    const start = stat()
      .slice(stat().lastIndexOf(")") + 2)
      .split(" ")[19] as string;
    const other = await holder(directory, { key: "k" });
    await other.kill("SIGKILL");
    rewrite(join(directory, "k.lock"), { process_id: zombie, process_start: start });
    await expectReclaim(store, "HOLDER_DEAD");
  });
});

linuxDescribe("ours, same host, earlier boot", () => {
  test("HOLDER_DEAD at once, although its pid runs again", async () => {
    const { directory, store } = await scene();
    const other = await holder(directory, { key: "k" });
    await other.kill("SIGKILL");
    const young = await bystander();
    rewrite(join(directory, "k.lock"), { process_id: young.pid, boot: ELSEWHERE.boot });
    await expectReclaim(store, "HOLDER_DEAD");
  });
});

linuxDescribe("ours, other host or pid namespace", () => {
  test.each([
    ["another host", ELSEWHERE],
    ["another pid namespace of this host", { pid_namespace: "pid:[1]" }],
  ])(
    "%s: dead only after its heartbeat was watched unchanged for its lease",
    async (_, changes) => {
      const { directory, store } = await scene();
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
    const { directory, store } = await scene();
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
    await expectReclaim(store, "HOLDER_DEAD", {});
  });

  const canUnshare =
    isLinux && spawnSync("unshare", ["--pid", "--fork", "--mount-proc", "true"]).status === 0;

  testWhere(canUnshare, "namespaces")("a real holder in a pid namespace of its own", async () => {
    const { directory, store } = await scene();
    const launcher = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"];
    // A real heartbeat needs a turn on the processor now and then: three seconds are three of those.
    const other = await holder(directory, { key: "k", deadAfter: 3_000 }, { launcher });
    expect((await store.inspect("k")).holders[0]).toMatchObject({ pid: 1, alive: null });
    await failure(store.claim({ key: "k", owner: claimant }, { timeout: 4_000 }), "TIMEOUT");
    await other.kill("SIGKILL");
    await expectReclaim(store, "HOLDER_DEAD", {});
  });
});

/** A claim that does not wait, by a process of its own in other namespaces; prints how it ended. */
function claimFrom(launcher: readonly string[], directory: string): string {
  const script = `
    const [, open, directory] = process.argv;
    import(open)
      .then(({ openStore }) => openStore(directory, { fsync: false }))
      .then((store) => store.claim({ key: "k", owner: { id: "me", metadata: {} } }, { timeout: 0 }))
      .then(() => console.log("granted"), (error) => console.log(error.code));
  `;
  const open = fileURLToPath(new URL("../../../../../src/stores/open.ts", import.meta.url));
  const [command, ...words] = [...launcher, process.execPath, "-e", script, open, directory];
  const { stdout, stderr } = spawnSync(command as string, words, { encoding: "utf8" });
  return stdout.trim() || stderr;
}

describe("a living holder is not called dead", () => {
  const inside = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"];
  const otherTime = [
    "unshare",
    "--time",
    "--boottime",
    "1000000",
    "--monotonic",
    "1000000",
    "--fork",
  ];
  const can = ([command, ...words]: readonly string[]) =>
    isLinux && spawnSync(command as string, [...words, "true"]).status === 0;

  testWhere(can(inside), "namespaces")(
    "from its own pid namespace with the outer /proc",
    async () => {
      const { directory } = await scene();
      const other = await holder(directory, { key: "k" }, { launcher: inside });
      const [pid] = childrenOf(other.pid);
      const enter = ["nsenter", "--pid", "--target", String(pid)];
      expect(claimFrom(enter, directory)).toBe("TIMEOUT");
      expect(await other.release()).toBe("released");
      expect(claimFrom([], directory)).toBe("granted");
    },
  );

  testWhere(can(otherTime), "namespaces")(
    "from another time namespace, nor its lock expired",
    async () => {
      const { directory } = await scene();
      const other = await holder(directory, { key: "k", ttl: 600_000 });
      expect(claimFrom(otherTime, directory)).toBe("TIMEOUT");
      expect(await other.release()).toBe("released");
    },
  );

  testWhere(can(otherTime), "namespaces")(
    "in another time namespace, nor its lock expired",
    async () => {
      const { directory } = await scene();
      const launcher = [...otherTime, "--kill-child"];
      const other = await holder(directory, { key: "k", ttl: 600_000 }, { launcher });
      expect(claimFrom([], directory)).toBe("TIMEOUT");
      expect(await other.release()).toBe("released");
    },
  );
});

describe("any, with a ttl", () => {
  unixTest("signals")(
    "a stopped holder that did not refresh for its ttl: LOCK_EXPIRED, and it is told",
    async () => {
      const { directory, store } = await scene();
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
    const { store } = await scene();
    const request = { key: "k", ttl: 1_000, refresh: false };
    const first = await store.claim({ ...request, owner: owner("bounded") });
    const second = await store.claim({ key: "k", owner: claimant });
    expect(second.reclaimed).toEqual({ from: "bounded", reason: "LOCK_EXPIRED" });
    await eventually(() => first.lost.aborted, Boolean);
    await second.release();
  });

  linuxTest("of a holder elsewhere counts as this process watched it", async () => {
    const { directory, store } = await scene();
    const other = await holder(directory, { key: "k", deadAfter: 60_000, ttl: 1_000 });
    await other.kill("SIGKILL");
    rewrite(join(directory, "k.lock"), ELSEWHERE);
    await failure(store.claim({ key: "k", owner: claimant }, { timeout: 0 }), "TIMEOUT");
    await expectReclaim(store, "LOCK_EXPIRED", {});
  });
});

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
    const { directory, store } = await scene({ stale });
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
    const { directory, store } = await scene({ staleTimeout: 5_000 });
    write(directory, await deadPid(), 10);
    await expectReclaim(store, "HOLDER_DEAD");
  });

  test("a waiter gets it when its time comes, without anybody's event", async () => {
    const { directory, store } = await scene({ staleTimeout: 2_000 });
    write(directory, await deadPid(), 0);
    await expectReclaim(store, "HOLDER_DEAD", {});
  });

  test("a waiter gets it as soon as its tool removes it", async () => {
    const { directory, store } = await scene();
    const theirs = await bystander();
    write(directory, theirs.pid, 0);
    const waiting = store.claim({ key: "k", owner: claimant });
    await waiterIn(store);
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
    const { directory, store } = await scene();
    const theirs = await bystander();
    write(directory, { owner: `pid-${theirs.pid}@${hostname()}`, since: past(100), ttl: 60 });
    await expectReclaim(store, "LOCK_EXPIRED");
  });

  test("the old form with a number as since: likewise", async () => {
    const { directory, store } = await scene();
    write(directory, { owner: "12345", since: Date.now() - 100_000, ttl: 60 });
    const holding = await store.claim({ key: "k", owner: claimant }, { timeout: 0 });
    expect(holding.reclaimed).toEqual({ from: "12345", reason: "LOCK_EXPIRED" });
    await holding.release();
  });

  test("pid-…@host of this host and gone: HOLDER_DEAD", async () => {
    const { directory, store } = await scene();
    write(directory, { owner: `pid-${await deadPid()}@${hostname()}`, since: past(1), ttl: 3_600 });
    await expectReclaim(store, "HOLDER_DEAD");
  });

  test("pid-…@host of this host and alive: held", async () => {
    const { directory, store } = await scene();
    const theirs = await bystander();
    write(directory, { owner: `pid-${theirs.pid}@${hostname()}`, since: past(1), ttl: 3_600 });
    expect((await store.inspect("k")).holders[0]?.alive).toBe(true);
    await failure(store.claim({ key: "k", owner: claimant }, { timeout: 0 }), "TIMEOUT");
    // It ends without a word; the one who waits sees that.
    const waiting = store.claim({ key: "k", owner: claimant });
    await waiterIn(store);
    await theirs.kill("SIGKILL");
    await expectReclaimed(waiting, "HOLDER_DEAD");
  });

  test.each([
    ["pid-1@elsewhere", "pid 1 on elsewhere"],
    ["user-john@session-abc", "user-john@session-abc"],
    ["token-eyJhbGciOiJIUzI1NiIs", "token-eyJhbGciOiJIUzI1NiIs"],
    ["ci-gh-456", "ci-gh-456"],
  ])("%s: held, and nobody here can know whether it lives", async (id, shown) => {
    const { directory, store } = await scene();
    write(directory, { owner: id, since: past(1), ttl: 3_600 });
    expect((await store.inspect("k")).holders[0]).toMatchObject({ owner: id, alive: null });
    const error = await failure(
      store.claim({ key: "k", owner: claimant }, { timeout: 0 }),
      "TIMEOUT",
    );
    expect(error.message).toContain(shown);
  });

  test("a waiter gets it when its ttl is over, without anybody's event", async () => {
    const { directory, store } = await scene();
    write(directory, { owner: "ci-gh-456", since: new Date().toISOString(), ttl: 2 });
    const holding = await store.claim({ key: "k", owner: claimant });
    expect(holding.reclaimed).toEqual({ from: "ci-gh-456", reason: "LOCK_EXPIRED" });
    await holding.release();
  });
});
