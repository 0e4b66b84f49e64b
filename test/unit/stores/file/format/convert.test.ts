import { existsSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { convert } from "../../../../../src/stores/file/format/convert.ts";
import { parseLock } from "../../../../../src/stores/file/format/format.ts";
import type { LockRecord } from "../../../../../src/stores/file/format/record.ts";
import {
  lockWith,
  MIGRATED,
  OLD,
  ownRecord,
  SECONDS,
  SINCE,
} from "../../../../helpers/file/records.ts";
import {
  auditLog,
  bystander,
  failure,
  owner,
  testStore,
} from "../../../../helpers/file/support.ts";
import { anyText } from "../../../lock/arbitraries.ts";

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
