import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { tellNowAndThen } from "../../../../../src/cli/commands/mend/clean.ts";
import type { KeyStatus } from "../../../../../src/lock/status.ts";
import { cli, json, program } from "../../../../helpers/cli/cli.ts";
import { hold, holdAndDie, store } from "../../../../helpers/cli/holding.ts";
import { temporaryDirectory } from "../../../../helpers/directories.ts";

describe("break", () => {
  test("takes the lock away, says from whom, and records who and why", async () => {
    const at = store();
    const holder = await hold(at, ["--owner", "first"]);
    const env = { ...at.env, HOLDFAST_USER: "ann" };
    const ended = await cli(["break", "k", "--reason", "wrong\nbranch"], { ...at, env });
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect(ended.stdout).toMatch(/^k was taken away; it was held by first for \d+m?s\n$/);
    expect((await holder.ended).code).toBe(123);
    const log = readFileSync(join(at.env.HOLDFAST_STORE, ".lock_audit.log"), "utf8");
    const entries = log
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(entries.find(({ operation }) => operation === "break")).toMatchObject({
      details: { reason: "wrong branch", by: expect.stringMatching(/^ann@/) },
    });
  });

  test("a free key is success, and said so", async () => {
    const at = store();
    expect(await cli(["break", "k", "--reason", "r"], at)).toMatchObject({
      code: 0,
      stdout: "k was free\n",
    });
    expect(json(await cli(["break", "k", "--reason", "r", "--json"], at))).toEqual({
      key: "k",
      store: `file:${at.env.HOLDFAST_STORE}`,
      broken: [],
    });
  });

  test("--slot takes one of several", async () => {
    const at = store();
    const first = await hold(at, ["--slots", "2", "--owner", "first"]);
    await hold(at, ["--slots", "2", "--owner", "second"]);
    const ended = await cli(["break", "k", "--slot", "0", "--reason", "r", "--json"], at);
    expect(json(ended)).toMatchObject({ broken: [{ owner: "first", slot: 0 }] });
    expect((await first.ended).code).toBe(123);
    const { holders } = json<KeyStatus>(await cli(["status", "k", "--json"], at));
    expect(holders.map(({ owner }) => owner)).toEqual(["second"]);
  });
});

describe("clean", () => {
  test("--dry-run says what would go; without it, it goes; then there is nothing left", async () => {
    const at = store();
    await holdAndDie(at);
    const path = join(at.env.HOLDFAST_STORE, "k.lock");
    const dry = await cli(["clean", "--dry-run"], at);
    expect(dry).toMatchObject({ code: 0, stderr: "" });
    expect(dry.stdout).toBe(`would remove ${path} (lock of first: HOLDER_DEAD)\n`);
    expect(existsSync(path)).toBe(true);
    const ended = await cli(["clean", "--json"], at);
    expect(json(ended)).toEqual({
      store: `file:${at.env.HOLDFAST_STORE}`,
      dryRun: false,
      removed: [{ path, why: "lock of first: HOLDER_DEAD" }],
      failed: [],
    });
    expect(existsSync(path)).toBe(false);
    expect((await cli(["clean"], at)).stderr).toMatch(/^holdfast: nothing to clean in file:/);
  });

  test("the living keep theirs", async () => {
    const at = store();
    await hold(at);
    expect(json(await cli(["clean", "--json"], at)).removed).toEqual([]);
    expect(await cli(["status", "k", "--exit-code"], at)).toMatchObject({ code: 1 });
  });

  test("--stale-timeout decides about a file that cannot be read", async () => {
    const at = store();
    const path = join(at.env.HOLDFAST_STORE, "k.lock");
    writeFileSync(path, "garbage");
    const old = Date.now() / 1_000 - 7_200;
    utimesSync(path, old, old);
    expect(json(await cli(["clean", "--stale-timeout", "1d", "--json"], at)).removed).toEqual([]);
    expect(json(await cli(["clean", "--stale-timeout", "none", "--json"], at)).removed).toEqual([]);
    expect(json(await cli(["clean", "--stale-timeout", "1h", "--json"], at)).removed).toHaveLength(
      1,
    );
  });
});

describe("migrate", () => {
  const theirs = () => `pid=${process.pid}\ntimestamp=${Math.floor(Date.now() / 1_000)}\ntag=x\n`;

  test("converts to JSON unless told otherwise, and back", async () => {
    const directory = temporaryDirectory();
    const path = join(directory, "k.lock");
    writeFileSync(path, theirs());
    const ended = await cli(["migrate", path]);
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ owner: expect.any(String) });
    const again = await cli(["migrate", path, "--json"]);
    expect(again.code).toBe(0);
    expect(json(again)).toMatchObject({ files: [{ outcome: "already" }] });
    expect((await cli(["migrate", path, "--to", "sema"])).code).toBe(0);
    expect(readFileSync(path, "utf8")).toMatch(/^pid=\d+$/m);
  });

  test("leaves a live lock of Holdfast's own and garbage alone, with a sentence each, and does the rest", async () => {
    const at = store();
    const directory = at.env.HOLDFAST_STORE;
    await hold(at);
    writeFileSync(join(directory, "garbage.lock"), "garbage");
    writeFileSync(join(directory, "theirs.lock"), theirs());
    mkdirSync(join(directory, "folder.lock"));
    const names = ["k", "garbage", "folder", "gone", "theirs"];
    const paths = names.map((name) => join(directory, `${name}.lock`));
    const ended = await cli(["migrate", ...paths, "--json"], at);
    expect(ended.code).toBe(2);
    expect(
      json<{ files: { outcome: string }[] }>(ended).files.map(({ outcome }) => outcome),
    ).toEqual(["live", "garbage", "failed", "missing", "migrated"]);
    expect(ended.stderr.trim().split("\n")).toHaveLength(4);
    expect(readFileSync(join(directory, "garbage.lock"), "utf8")).toBe("garbage");
  });
});

test("nothing but the store's own files is left in its directory", async () => {
  const at = store();
  await cli(["run", "k", "--", ...program("")], at);
  expect(readdirSync(at.env.HOLDFAST_STORE).sort()).toEqual([".holdfast", ".lock_audit.log"]);
});

test("clean tells how far it has come, now and then, and not at the end", () => {
  let now = 0;
  const told: string[] = [];
  const tell = tellNowAndThen(
    (text) => void told.push(text),
    () => now,
  );
  for (let looked = 1; looked <= 100; looked++) {
    now += 100;
    tell({ looked, keys: 100, removed: looked >> 1 });
  }
  expect(told).toEqual([
    "looked at 30 of 100 keys, 15 leftovers so far",
    "looked at 60 of 100 keys, 30 leftovers so far",
    "looked at 90 of 100 keys, 45 leftovers so far",
  ]);
});
