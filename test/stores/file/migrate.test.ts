import {
  chmodSync,
  chownSync,
  existsSync,
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
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { convert } from "../../../src/stores/file/convert.ts";
import { parseLock, writeLock } from "../../../src/stores/file/format.ts";
import { migrateLockFile } from "../../../src/stores/file/migrate.ts";
import type { LockFormat, LockRecord } from "../../../src/stores/file/record.ts";
import { anyText } from "../../lock/arbitraries.ts";
import { EXAMPLE, ownRecord } from "./records.ts";
import {
  auditLog,
  bystander,
  failure,
  holder,
  isRoot,
  isWindows,
  owner,
  rewrite,
  temporaryDirectory,
  testStore,
} from "./support.ts";

const SECONDS = 1_703_520_000;
const SINCE = new Date(SECONDS * 1_000).toISOString();

/** A directory with one lock file in it, and that file's migration. */
function lockWith(content: string, name = "k.lock") {
  const directory = temporaryDirectory();
  const path = join(directory, name);
  writeFileSync(path, content);
  return {
    directory,
    path,
    text: () => readFileSync(path, "utf8"),
    record: () => parseLock(readFileSync(path)),
    migrate: (to: LockFormat) => migrateLockFile(path, { to, owner: "me", user: "ann" }),
  };
}

const OLD = (owner: unknown, more = {}) =>
  JSON.stringify({ owner, since: SECONDS * 1_000, ttl: 60, ...more });
const MIGRATED = { migrated: true, migrated_at: expect.stringMatching(/^\d{4}-.*Z$/) };

describe("old JSON to the policy's", () => {
  test.each([
    ["12345", "pid-12345"],
    [12345, "pid-12345"],
    ["12345@laptop", "pid-12345@laptop"],
    ["pid-12345@laptop", "pid-12345@laptop"],
    ["john", "pid-john"],
  ])("the owner %j becomes %s", async (old, now) => {
    const lock = lockWith(OLD(old));
    expect(await lock.migrate("json")).toEqual({
      path: lock.path,
      outcome: "migrated",
      message: `${lock.path} is now in the json format.`,
    });
    expect(JSON.parse(lock.text())).toEqual({
      owner: now,
      since: SINCE,
      ttl: 60,
      metadata: { environment: "local", purpose: "interactive", ...MIGRATED },
    });
    expect(lock.record()).toMatchObject({ kind: "policy", legacy: false, owner: now });
  });

  test("an enhanced lock that the policy's own refresh gave a number keeps owner and metadata", async () => {
    const metadata = { environment: "ci", purpose: "automated", run_id: "456" };
    const lock = lockWith(OLD("ci-github-456", { metadata }));
    await lock.migrate("json");
    expect(lock.record()).toMatchObject({
      owner: "ci-github-456",
      metadata: { ...metadata, ...MIGRATED },
    });
  });

  test("is audited, before it is done", async () => {
    const lock = lockWith(OLD("12345"));
    await lock.migrate("json");
    expect(auditLog(lock.directory)).toEqual([
      {
        timestamp: expect.any(String),
        operation: "migrate",
        lockPath: lock.path,
        details: {
          key: "k",
          existingOwner: "12345",
          from: "old json",
          to: "json",
          slot: 0,
          by: "me",
        },
        user: "ann",
        pid: process.pid,
      },
    ]);
  });
});

describe("sema to JSON", () => {
  test("pid, time and tag are kept, the ttl comes from the table", async () => {
    const lock = lockWith(`pid=12345\r\ntimestamp=${SECONDS}\r\ntag=npm build\r\n`);
    expect((await lock.migrate("json")).outcome).toBe("migrated");
    expect(JSON.parse(lock.text())).toEqual({
      owner: `pid-12345@${hostname()}`,
      since: SINCE,
      ttl: 3_600,
      metadata: {
        environment: "local",
        purpose: "interactive",
        hostname: hostname(),
        process_id: 12345,
        tag: "npm build",
        ...MIGRATED,
      },
    });
  });

  test("status shows the same holder before and after, with its tag", async () => {
    const theirs = await bystander();
    const now = Math.floor(Date.now() / 1_000);
    const lock = lockWith(`pid=${theirs.pid}\ntimestamp=${now}\ntag=npm build\n`);
    const store = await testStore(lock.directory);
    const before = (await store.inspect("k")).holders[0];
    await lock.migrate("json");
    const after = (await store.inspect("k")).holders[0];
    expect(after).toMatchObject({
      pid: theirs.pid,
      alive: true,
      note: "npm build",
      since: before?.since,
    });
    await theirs.kill("SIGKILL");
    const claim = store.claim({ key: "k", owner: owner("heir") }, { timeout: 0 });
    expect((await claim).reclaimed?.reason).toBe("HOLDER_DEAD");
    await (await claim).release();
  });

  test("a time that no clock will show is garbage", async () => {
    const lock = lockWith("pid=1\ntimestamp=9007199254740991\n");
    expect(await lock.migrate("json")).toMatchObject({
      outcome: "garbage",
      message: expect.stringContaining("timestamp is not a time"),
    });
  });
});

describe("JSON to sema", () => {
  const json = (owner: string, metadata = {}) =>
    JSON.stringify({ owner, since: SINCE, ttl: 60, metadata });

  test.each([
    [json("pid-12345@laptop"), `pid=12345\ntimestamp=${SECONDS}\n`],
    [json("pid-12345"), `pid=12345\ntimestamp=${SECONDS}\n`],
    [OLD("12345"), `pid=12345\ntimestamp=${SECONDS}\n`],
    [OLD(12345), `pid=12345\ntimestamp=${SECONDS}\n`],
    [
      json("pid-12345@laptop", { tag: "npm build" }),
      `pid=12345\ntimestamp=${SECONDS}\ntag=npm build\n`,
    ],
    [
      json("ci-github-456", { process_id: 77 }),
      `pid=77\ntimestamp=${SECONDS}\ntag=ci-github-456\n`,
    ],
  ])("%s", async (content, expected) => {
    const lock = lockWith(content);
    expect((await lock.migrate("sema")).outcome).toBe("migrated");
    expect(lock.text()).toBe(expected);
  });

  test("an owner without a process cannot be said in sema: an error, and the file is as it was", async () => {
    const content = json("user-john@session-1");
    const lock = lockWith(content);
    const error = await failure(lock.migrate("sema"), "BAD_LOCK_FILE");
    expect(error.message).toContain('"user-john@session-1" names no process');
    expect(lock.text()).toBe(content);
    expect(existsSync(join(lock.directory, ".lock_audit.log"))).toBe(false);
  });

  test("there and back again gives the same sema lock", async () => {
    const content = `pid=12345\ntimestamp=${SECONDS}\ntag=a = "b" {c}\n`;
    const lock = lockWith(content);
    await lock.migrate("json");
    await lock.migrate("sema");
    expect(lock.text()).toBe(content);
  });
});

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

  test.skipIf(process.platform !== "linux")("one of another machine counts as living", async () => {
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

  test.skipIf(isWindows)("a link stays one: the file that it points to is converted", async () => {
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

  test.skipIf(isWindows)("a loop of links is refused", async () => {
    const directory = temporaryDirectory();
    symlinkSync("a.lock", join(directory, "a.lock"));
    const path = join(directory, "a.lock");
    await failure(migrateLockFile(path, { to: "json", owner: "me" }), "BAD_STORE");
  });
});

test.skipIf(isWindows)("the mode is kept, and nothing is left behind", async () => {
  const lock = lockWith(OLD("1"));
  for (const mode of [0o600, 0o644, 0o660]) {
    writeFileSync(lock.path, OLD("1"));
    chmodSync(lock.path, mode);
    await lock.migrate("json");
    expect(statSync(lock.path).mode & 0o777).toBe(mode);
  }
  expect(readdirSync(lock.directory).sort()).toEqual([".holdfast", ".lock_audit.log", "k.lock"]);
});

test.skipIf(!isRoot)("a file that root converts still belongs to its owner", async () => {
  const lock = lockWith(OLD("1"));
  chownSync(lock.path, 65_534, 65_534);
  await lock.migrate("json");
  expect(statSync(lock.path)).toMatchObject({ uid: 65_534, gid: 65_534 });
});

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

describe("any lock at all", () => {
  const foreign: fc.Arbitrary<LockRecord> = fc.oneof(
    fc
      .tuple(fc.nat(), fc.nat(), anyText)
      .map(([pid, time, tag]) =>
        parseLock(Buffer.from(`pid=${pid}\ntimestamp=${time}\ntag=${tag}`)),
      ),
    fc
      .tuple(anyText, fc.oneof(fc.nat(), fc.constant(SINCE)), fc.double(), fc.jsonValue())
      .map(([id, since, ttl, metadata]) =>
        parseLock(Buffer.from(JSON.stringify({ owner: id, since, ttl, metadata }))),
      ),
  );
  const context = { hostname: "here", now: Date.now() };

  test("is read back as the same lock, or is not converted", () => {
    fc.assert(
      fc.property(fc.oneof(foreign, ownRecord), fc.constantFrom("sema", "json"), (record, to) => {
        const conversion = convert(record, to, context);
        if (conversion.state !== "converted") return;
        const back = parseLock(Buffer.from(conversion.content));
        expect(back.kind).not.toBe("unreadable");
        if (record.kind === "holdfast") expect(back).toEqual({ ...record, format: to });
        if (record.kind === "sema")
          expect(back).toMatchObject({
            owner: `pid-${record.pid}@here`,
            since: record.timestamp * 1_000,
            metadata: record.tag === null ? {} : { tag: record.tag },
          });
        if (record.kind === "policy" && back.kind === "policy")
          expect(back).toMatchObject({ since: record.since, metadata: { migrated: true } });
        if (record.kind === "policy" && back.kind === "sema")
          expect(back.timestamp).toBe(Math.floor(record.since / 1_000));
        expect(convert(back, to, context)).toEqual({ state: "already" });
      }),
      { numRuns: 1_000 },
    );
  });

  test("of a sema tool survives the way there and back", () => {
    fc.assert(
      fc.property(foreign, (record) => {
        if (record.kind !== "sema") return;
        const there = convert(record, "json", context);
        if (there.state !== "converted") return;
        const back = convert(parseLock(Buffer.from(there.content)), "sema", context);
        expect(back.state === "converted" && parseLock(Buffer.from(back.content))).toEqual(record);
      }),
    );
  });
});
