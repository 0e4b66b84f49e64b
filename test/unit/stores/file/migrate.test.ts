import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseLock, writeLock } from "../../../../src/stores/file/format/format.ts";
import { migrateLockFile } from "../../../../src/stores/file/migrate.ts";
import { temporaryDirectory } from "../../../helpers/directories.ts";
import { EXAMPLE, lockWith, OLD, SECONDS, SINCE } from "../../../helpers/file/records.ts";
import {
  auditLog,
  bystander,
  failure,
  holder,
  isRoot,
  owner,
  rewrite,
  testStore,
} from "../../../helpers/file/support.ts";
import { linuxTest, testWhere, unixTest } from "../../../helpers/platform.ts";

test.each([
  ["sema", `pid=1\ntimestamp=${SECONDS}\n`],
  ["json", JSON.stringify({ owner: "x", since: SINCE, ttl: 1 })],
  ["json", writeLock({ ...EXAMPLE, format: "json" })],
  ["sema", writeLock(EXAMPLE)],
] as const)("what is in the %s format already stays, byte for byte", async (to, content) => {
  const lock = lockWith(content);
  const inode = statSync(lock.path).ino;
  expect((await lock.migrate(to)).outcome).toBe("already");
  expect(lock.text()).toBe(content);
  expect(statSync(lock.path).ino).toBe(inode);
});

test.each([
  ["", "empty"],
  ["garbage", "pid"],
  ["{", "JSON"],
  ["pid=1\n", "timestamp"],
])("garbage (%j) is left alone with the reason", async (content, why) => {
  const lock = lockWith(content);
  const { outcome, message } = await lock.migrate("json");
  expect(outcome).toBe("garbage");
  expect(message).toContain(why);
  expect(lock.text()).toBe(content);
});

describe("locks of Holdfast's own", () => {
  test("a living one is left alone with a sentence, and stays held", async () => {
    const directory = temporaryDirectory();
    const store = await testStore(directory);
    const holding = await store.claim({ key: "k", owner: owner("busy") });
    const path = join(directory, "k.lock");
    const { outcome, message } = await migrateLockFile(path, { to: "json", owner: "me" });
    expect(outcome).toBe("live");
    expect(message).toContain('"busy" holds it');
    expect(await holding.release()).toBe("released");
  });

  linuxTest("one of another machine counts as living", async () => {
    const directory = temporaryDirectory();
    const other = await holder(directory, { key: "k" });
    await other.kill("SIGKILL");
    const path = join(directory, "k.lock");
    rewrite(path, { host: "elsewhere", boot: "00000000-0000-4000-8000-000000000000" });
    expect((await migrateLockFile(path, { to: "json", owner: "me" })).outcome).toBe("live");
  });

  test("a dead one is converted and read back as the same record", async () => {
    const directory = temporaryDirectory();
    const store = await testStore(directory);
    const other = await holder(directory, { key: "k", note: "v1", owner: owner("victim") });
    await other.kill("SIGKILL");
    const path = join(directory, "k.lock");
    const before = parseLock(readFileSync(path));
    expect((await migrateLockFile(path, { to: "json", owner: "me" })).outcome).toBe("migrated");
    expect(parseLock(readFileSync(path))).toEqual({ ...before, format: "json" });
    const next = await store.claim({ key: "k", owner: owner("heir") }, { timeout: 0 });
    expect(next.reclaimed).toEqual({ from: "victim", reason: "HOLDER_DEAD" });
    expect(next.lease.fence).toBeGreaterThan(other.lease.fence as number);
    await next.release();
  });

  test("a slot is converted under its key's guard, not under one of its own", async () => {
    const directory = temporaryDirectory();
    const other = await holder(directory, { key: "k", slots: 2 });
    const second = await holder(directory, { key: "k", slots: 2 });
    await second.kill("SIGKILL");
    const path = join(directory, "k@1.lock");
    expect((await migrateLockFile(path, { to: "json", owner: "me" })).outcome).toBe("migrated");
    expect(readdirSync(join(directory, ".holdfast"))).toEqual(["k.lock"]);
    expect(auditLog(directory).at(-1)?.details).toMatchObject({ key: "k", slot: 1 });
    await other.release();
  });
});

describe("paths", () => {
  test("a missing file is an outcome, and nothing is made", async () => {
    const directory = temporaryDirectory();
    const path = join(directory, "none.lock");
    expect(await migrateLockFile(path, { to: "json", owner: "me" })).toMatchObject({
      path,
      outcome: "missing",
    });
    expect(readdirSync(directory)).toEqual([]);
  });

  test("a directory is an error that says what to name instead", async () => {
    const directory = temporaryDirectory();
    mkdirSync(join(directory, "d.lock"));
    for (const path of [directory, join(directory, "d.lock")]) {
      const error = await failure(
        migrateLockFile(path, { to: "json", owner: "me" }),
        "BAD_LOCK_FILE",
      );
      expect(error.message).toContain("is a directory");
    }
    expect(readdirSync(directory)).toEqual(["d.lock"]);
  });

  test.each([
    ["../k.lock", "BAD_STORE"],
    ["a/../k.lock", "BAD_STORE"],
    ["k\n.lock", "BAD_STORE"],
    ["", "BAD_LOCK_FILE"],
  ] as const)("%j is refused: %s", async (path, code) => {
    const workingDirectory = temporaryDirectory();
    await failure(migrateLockFile(path, { to: "json", owner: "me", workingDirectory }), code);
  });

  test("is relative to the working directory, and need not end in .lock", async () => {
    const lock = lockWith(OLD("1"), "old-lock.json");
    const options = { to: "json", owner: "me", workingDirectory: lock.directory } as const;
    expect(await migrateLockFile("old-lock.json", options)).toMatchObject({
      path: lock.path,
      outcome: "migrated",
    });
  });

  unixTest("links")("a link stays one: the file that it points to is converted", async () => {
    const lock = lockWith(OLD("1"));
    const elsewhere = temporaryDirectory();
    const link = join(elsewhere, "alias.lock");
    symlinkSync(lock.path, link);
    const migration = await migrateLockFile(link, { to: "json", owner: "me" });
    expect(migration).toMatchObject({ path: lock.path, outcome: "migrated" });
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readdirSync(elsewhere)).toEqual(["alias.lock"]);
    expect(lock.record()).toMatchObject({ legacy: false });
  });

  unixTest("links")("a loop of links is refused", async () => {
    const directory = temporaryDirectory();
    symlinkSync("a.lock", join(directory, "a.lock"));
    const path = join(directory, "a.lock");
    await failure(migrateLockFile(path, { to: "json", owner: "me" }), "BAD_STORE");
  });
});

unixTest("links")("the mode is kept, and nothing is left behind", async () => {
  const lock = lockWith(OLD("1"));
  for (const mode of [0o600, 0o644, 0o660]) {
    writeFileSync(lock.path, OLD("1"));
    chmodSync(lock.path, mode);
    await lock.migrate("json");
    expect(statSync(lock.path).mode & 0o777).toBe(mode);
  }
  expect(readdirSync(lock.directory).sort()).toEqual([".holdfast", ".lock_audit.log", "k.lock"]);
});

testWhere(isRoot, "modes and owners")(
  "a file that root converts still belongs to its owner",
  async () => {
    const lock = lockWith(OLD("1"));
    chownSync(lock.path, 65_534, 65_534);
    await lock.migrate("json");
    expect(statSync(lock.path)).toMatchObject({ uid: 65_534, gid: 65_534 });
  },
);

test("those who wait for the lock see through the change", async () => {
  const theirs = await bystander();
  const now = Math.floor(Date.now() / 1_000);
  const lock = lockWith(`pid=${theirs.pid}\ntimestamp=${now}\n`);
  const store = await testStore(lock.directory);
  const waiting = store.claim({ key: "k", owner: owner("heir") });
  await lock.migrate("json");
  await theirs.kill("SIGKILL");
  const holding = await waiting;
  expect(holding.reclaimed).toMatchObject({ from: `pid-${theirs.pid}@${hostname()}` });
  await holding.release();
});
