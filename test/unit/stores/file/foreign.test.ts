import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { AuditEntry } from "../../../../src/stores/file/audit/read.ts";
import { writeLock } from "../../../../src/stores/file/format/format.ts";
import { temporaryDirectory } from "../../../helpers/directories.ts";
import { EXAMPLE } from "../../../helpers/file/records.ts";
import {
  auditLog,
  bystander,
  failure,
  holder,
  owner,
  testStore,
} from "../../../helpers/file/support.ts";
import { unixTest } from "../../../helpers/platform.ts";
import { eventually } from "../../../helpers/waiting.ts";

const claimant = owner("claimant");
const HOUR_MS = 3_600_000;

function age(path: string, milliseconds: number): void {
  const then = new Date(Date.now() - milliseconds);
  utimesSync(path, then, then);
}

/** Content that no reader can take for a lock, and what `status` says about it. */
const UNREADABLE: [string, string | Uint8Array, string][] = [
  ["an empty file", "", "empty"],
  ["only blank lines", "\n \r\n", "empty"],
  ["half a sema file", "pid=4711\ntimes", "timestamp"],
  ["half of one of ours", writeLock(EXAMPLE).slice(0, 8), "timestamp"],
  ["half a JSON file", '{\n  "owner": "pid-1@h",\n  "since": "2025-', "JSON"],
  ["half of our JSON", writeLock({ ...EXAMPLE, format: "json" }).slice(0, 200), "JSON"],
  ["plain garbage", "hello, world\n", "pid"],
  ["binary garbage", Uint8Array.from({ length: 300 }, (_, i) => (i * 37) % 256), "UTF-8"],
  ["NUL bytes", "pid=1\ntimestamp=1\n\0\0\0", "NUL"],
  ["UTF-16", Buffer.from("pid=1\ntimestamp=1\n", "utf16le"), "NUL"],
  ["a huge file", Buffer.alloc(5_000_000, "pid=1\ntimestamp=1\n"), "too large"],
];

describe.each(UNREADABLE)("%s", (_, content, problem) => {
  test("is held by an unknown holder, named in status, and never silently removed", async () => {
    const directory = temporaryDirectory();
    const store = await testStore(directory);
    const lock = join(directory, "k.lock");
    writeFileSync(lock, content);
    const error = await failure(
      store.claim({ key: "k", owner: claimant }, { timeout: 0 }),
      "TIMEOUT",
    );
    expect(error.message).toContain("a lock file that cannot be read");
    const status = await store.inspect("k");
    expect(status.holders).toHaveLength(1);
    expect(status.holders[0]).toMatchObject({ owner: "unknown", alive: null, pid: null, slot: 0 });
    expect(status.holders[0]?.problem).toContain(problem);
    expect(await store.list()).toEqual([status]);
    expect(await store.clean?.({ owner: "cleaner" })).toEqual({ removed: [], failed: [] });
    expect(readFileSync(lock).equals(Buffer.from(content))).toBe(true);
  });

  test("is reclaimed once it is older than the stale timeout, and audited", async () => {
    const directory = temporaryDirectory();
    const store = await testStore(directory);
    const lock = join(directory, "k.lock");
    writeFileSync(lock, content);
    age(lock, HOUR_MS + 5_000);
    const holding = await store.claim({ key: "k", owner: claimant }, { timeout: 0 });
    expect(holding.reclaimed).toEqual({ from: "unknown", reason: "LOCK_EXPIRED" });
    expect(auditLog(directory)[0]).toMatchObject({
      operation: "reclaim",
      lockPath: lock,
      details: { existingOwner: "unknown", reason: "LOCK_EXPIRED" },
    });
    await holding.release();
  });
});

test("garbage is removable by break", async () => {
  const directory = temporaryDirectory();
  const store = await testStore(directory);
  writeFileSync(join(directory, "k.lock"), "garbage");
  const { broken } = await store.break("k", { reason: "not a lock", owner: "admin" });
  expect(broken).toMatchObject([{ owner: "unknown", problem: expect.any(String) }]);
  const holding = await store.claim({ key: "k", owner: claimant }, { timeout: 0 });
  expect(holding.reclaimed).toBeUndefined();
  await holding.release();
});

test("a file that is still being written is waited for, then judged by what it says", async () => {
  const directory = temporaryDirectory();
  const store = await testStore(directory);
  const lock = join(directory, "k.lock");
  const theirs = await bystander();
  writeFileSync(lock, `pid=${theirs.pid}\n`);
  expect((await store.inspect("k")).holders[0]?.problem).toContain("timestamp");
  writeFileSync(lock, `pid=${theirs.pid}\ntimestamp=${Math.floor(Date.now() / 1_000)}\n`);
  expect((await store.inspect("k")).holders[0]).toMatchObject({ pid: theirs.pid, alive: true });
});

test("a living sema lock with CRLF, unknown keys and blank lines is understood", async () => {
  const directory = temporaryDirectory();
  const store = await testStore(directory);
  const theirs = await bystander();
  const now = Math.floor(Date.now() / 1_000);
  writeFileSync(
    join(directory, "k.lock"),
    `\r\nversion=9\r\npid=${theirs.pid}\r\n\r\ntimestamp=${now}\r\ntag=npm build\r\nnonsense\r\n`,
  );
  expect((await store.inspect("k")).holders).toMatchObject([
    { owner: `pid-${theirs.pid}`, pid: theirs.pid, alive: true, note: "npm build", fence: null },
  ]);
  await failure(store.claim({ key: "k", owner: claimant }, { timeout: 0 }), "TIMEOUT");
});

test("a sema lock in a directory store and as a single lock file are the same lock", async () => {
  const directory = temporaryDirectory();
  const lock = join(directory, "shared.lock");
  const single = await testStore(lock);
  const whole = await testStore(directory);
  const holding = await single.claim({ key: "", owner: claimant });
  expect(holding.lease.key).toBe("shared");
  expect((await whole.inspect("shared")).holders[0]?.owner).toBe("claimant");
  await failure(whole.claim({ key: "shared", owner: owner("other") }, { timeout: 0 }), "TIMEOUT");
  await holding.release();
});

test("a lock of ours that a foreign tool removed is lost, and said so", async () => {
  const directory = temporaryDirectory();
  const store = await testStore(directory);
  const other = await holder(directory, { key: "k", deadAfter: 3_000 });
  rmSync(join(directory, "k.lock"));
  expect(await other.lost).toContain("its lock file is gone");
  const { details } = await eventually(
    () => auditLog(directory).at(-1) as AuditEntry,
    ({ operation }) => operation === "loss",
  );
  expect(details).toMatchObject({ key: "k", reason: "its lock file is gone" });
  expect((await store.inspect("k")).holders).toEqual([]);
});

unixTest("files in use that may be replaced and removed")(
  "a lock of ours that a foreign tool replaced is lost, and the new one is left alone",
  async () => {
    const directory = temporaryDirectory();
    const lock = join(directory, "k.lock");
    const other = await holder(directory, { key: "k", deadAfter: 3_000 });
    const theirs = `pid=${process.pid}\ntimestamp=${Math.floor(Date.now() / 1_000)}\n`;
    writeFileSync(`${lock}.1.abc.tmp`, theirs);
    renameSync(`${lock}.1.abc.tmp`, lock);
    expect(await other.lost).toContain("held by another tool");
    expect(await other.release()).toBe("already-gone");
    expect(readFileSync(lock, "utf8")).toBe(theirs);
  },
);

/** Does what `clean` of the sema tools does, without a pause, and counts what it found. */
const CLEANER = `
  const { readdirSync, rmSync } = require("node:fs");
  const [, directory] = process.argv;
  const clean = () => {
    for (let round = 0; round < 50; round++)
      for (const name of readdirSync(directory).filter((name) => name.endsWith(".tmp"))) {
        rmSync(directory + "/" + name, { force: true });
        process.send("removed");
      }
    setImmediate(clean);
  };
  clean();
`;

unixTest("files as fast as another tool's")(
  "a sema tool's clean that takes temporary files away does not stop an acquisition",
  async () => {
    const directory = temporaryDirectory();
    const store = await testStore(directory);
    const cleaner = spawn(process.execPath, ["-e", CLEANER, directory], {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    onTestFinished(async () => {
      cleaner.kill("SIGKILL");
      await once(cleaner, "exit");
    });
    let removed = 0;
    cleaner.on("message", () => {
      removed += 1;
    });
    const end = performance.now() + 20_000;
    while (removed < 3 && performance.now() < end) {
      for (let round = 0; round < 50; round++)
        await (await store.claim({ key: "k", owner: claimant })).release();
      // Lets the messages of the cleaner in.
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(removed).toBeGreaterThan(0);
  },
);

describe("what else may lie under a lock's name", () => {
  test("a directory: a claim says so, and list goes on without it", async () => {
    const directory = temporaryDirectory();
    const store = await testStore(directory);
    mkdirSync(join(directory, "k.lock"));
    const other = await store.claim({ key: "other", owner: claimant });
    for (const call of [
      store.claim({ key: "k", owner: claimant }, { timeout: 0 }),
      store.inspect("k"),
      store.break("k", { reason: "x", owner: "admin" }),
    ]) {
      const error = await failure(call, "BAD_LOCK_FILE");
      expect(error.message).toContain("is a directory where a lock file should be");
    }
    expect((await store.list()).map(({ key }) => key)).toEqual(["other"]);
    expect(await store.clean?.({ owner: "cleaner" })).toEqual({ removed: [], failed: [] });
    await other.release();
  });

  unixTest("fifos")("a fifo does not hang anybody", async () => {
    const directory = temporaryDirectory();
    const store = await testStore(directory);
    execFileSync("mkfifo", [join(directory, "k.lock")]);
    expect((await store.inspect("k")).holders).toMatchObject([{ owner: "unknown" }]);
    await failure(store.claim({ key: "k", owner: claimant }, { timeout: 0 }), "TIMEOUT");
  });

  test("an owner as long as its file does not make our own lock unreadable", async () => {
    const directory = temporaryDirectory();
    const store = await testStore(directory);
    const since = new Date(Date.now() - 10_000).toISOString();
    const long = "x".repeat(60_000);
    writeFileSync(join(directory, "k.lock"), JSON.stringify({ owner: long, since, ttl: 1 }));
    const holding = await store.claim({ key: "k", owner: claimant }, { timeout: 0 });
    expect(holding.reclaimed?.from).toBe("x".repeat(256));
    expect((await store.inspect("k")).holders[0]).toMatchObject({ owner: "claimant", alive: true });
    await holding.release();
  });

  test("a lock that claims all the slots there could be does not keep status busy", async () => {
    const directory = temporaryDirectory();
    const store = await testStore(directory);
    const content = writeLock(EXAMPLE).replace("slots=1\n", "slots=9007199254740991\n");
    writeFileSync(join(directory, "k.lock"), content);
    expect((await store.inspect("k")).holders).toHaveLength(1);
  });
});
