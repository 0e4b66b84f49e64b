import {
  chmodSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { Store } from "../../../../../src/lock/store.ts";
import { temporaryDirectory } from "../../../../helpers/directories.ts";
import { auditLog, deadPid, failure, owner, testStore } from "../../../../helpers/file/support.ts";
import { unixTest } from "../../../../helpers/platform.ts";

const FREEZE = { owner: "admin", reason: "an incident", duration: null };
const sideOf = (directory: string, name = "k.lock") => join(directory, ".holdfast", name);

async function scene(options = {}) {
  const directory = temporaryDirectory();
  const store = (await testStore(directory, options)) as Required<Store>;
  return { directory, store, freeze: join(sideOf(directory), "freeze") };
}

const claim = (store: Store, key = "k") => store.claim({ key, owner: owner("me") }, { timeout: 0 });

describe("a freeze is a side file", () => {
  unixTest("modes and owners")("with the bits of its directory, whole, and alone", async () => {
    const { directory, store, freeze } = await scene();
    chmodSync(directory, 0o2770);
    const made = await store.freeze("k", FREEZE);
    expect(JSON.parse(readFileSync(freeze, "utf8"))).toEqual({ key: "k", ...made });
    expect(statSync(freeze).mode & 0o777).toBe(0o660);
    expect(readdirSync(sideOf(directory)).sort()).toEqual(["freeze", "guard"]);
    await store.freeze("k", { ...FREEZE, reason: "another" });
    expect(readdirSync(sideOf(directory)).sort()).toEqual(["freeze", "guard"]);
    await store.thaw("k", { owner: "ops" });
    expect(existsSync(freeze)).toBe(false);
  });

  test("and two lines of the audit log, which the history passes over", async () => {
    const { directory, store } = await scene();
    const { since } = await store.freeze("k", { ...FREEZE, reason: "a\nline" });
    await store.thaw("k", { owner: "ops" });
    expect(await store.thaw("k", { owner: "ops" })).toBeNull();
    const reason = "a line";
    const lockPath = join(directory, "k.lock");
    expect(auditLog(directory)).toMatchObject([
      { operation: "freeze", lockPath, details: { key: "k", by: "admin", reason, until: null } },
      {
        operation: "thaw",
        lockPath,
        details: { key: "k", by: "ops", frozenBy: "admin", reason, since },
      },
    ]);
    await (await claim(store)).release();
    expect(await store.history("k", { limit: 5 })).toMatchObject([{ owner: "me" }]);
  });

  test("beside one lock file as well, and by its whole name where that was cut", async () => {
    const directory = temporaryDirectory();
    const one = (await testStore(join(directory, "x.lock"))) as Required<Store>;
    await one.freeze("", FREEZE);
    expect(existsSync(join(sideOf(directory, "x.lock"), "freeze"))).toBe(true);
    await failure(claim(one, "x"), "TIMEOUT");
    const all = await testStore(directory);
    const long = "🔒".repeat(50);
    await all.freeze?.(long, FREEZE);
    expect((await all.list()).map(({ key }) => key).sort()).toEqual(["x", long].sort());
  });

  test("that needs a reason, an owner and a time that can be", async () => {
    const { directory, store } = await scene();
    await failure(store.freeze("k", { ...FREEZE, reason: " " }), "BAD_REASON");
    await failure(store.freeze("k", { ...FREEZE, reason: "x".repeat(1_001) }), "BAD_REASON");
    await failure(store.freeze("k", { ...FREEZE, owner: "" }), "BAD_OWNER");
    await failure(store.freeze("k", { ...FREEZE, duration: 0 }), "BAD_DURATION");
    await failure(store.freeze("k", { ...FREEZE, duration: Number.NaN }), "BAD_DURATION");
    expect(readdirSync(directory)).toEqual([]);
  });
});

describe("something else under its name", () => {
  unixTest("modes and owners")(
    "a link is not followed: neither read, nor written, nor thawed",
    async () => {
      const { store, freeze } = await scene();
      await (await claim(store)).release();
      const target = join(temporaryDirectory(), "precious");
      writeFileSync(target, JSON.stringify({ key: "k", by: "x", reason: "y", since: "z" }));
      const before = readFileSync(target, "utf8");
      symlinkSync(target, freeze);
      expect((await failure(claim(store), "TIMEOUT")).message).toMatch(/frozen by unknown.*link/);
      await store.freeze("k", FREEZE);
      expect(lstatSync(freeze).isFile()).toBe(true);
      await store.thaw("k", FREEZE);
      symlinkSync(target, freeze);
      expect(await store.thaw("k", FREEZE)).toMatchObject({ by: "unknown" });
      expect(readFileSync(target, "utf8")).toBe(before);
      await claim(store);
    },
  );

  test("a damaged one keeps the key frozen until it is thawed", async () => {
    const { store, freeze } = await scene();
    await store.freeze("k", FREEZE);
    for (const damaged of ["", "{", "[]", '{"by":"a","reason":"b","since":"never","until":null}']) {
      writeFileSync(freeze, damaged);
      const { frozen } = await store.inspect("k");
      expect(frozen).toMatchObject({ by: "unknown", until: null });
      await failure(claim(store), "TIMEOUT");
    }
    await store.thaw("k", FREEZE);
    await claim(store);
  });
});

test("clean removes a freeze whose time is over, and what a crash left of making one", async () => {
  const { directory, store, freeze } = await scene();
  await store.freeze("k", { ...FREEZE, duration: 1 });
  await store.freeze("other", FREEZE);
  await delay(5);
  const half = join(sideOf(directory), `freeze.${await deadPid()}.abc.tmp`);
  writeFileSync(half, "{");
  const looked: unknown[] = [];
  const clean = { owner: "me", onProgress: (progress: unknown) => looked.push(progress) };
  const dry = await store.clean({ ...clean, dryRun: true });
  expect(dry.removed.map(({ path }) => path)).toEqual([freeze, half]);
  expect(existsSync(freeze)).toBe(true);
  expect(await store.clean(clean)).toEqual(dry);
  expect(looked.at(-1)).toEqual({ looked: 2, keys: 2, removed: 2 });
  expect((await store.list()).map(({ key }) => key)).toEqual(["other"]);
});
