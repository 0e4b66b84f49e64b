import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openStore } from "../../../../../src/stores/open.ts";
import { temporaryDirectory } from "../../../../helpers/directories.ts";
import { failure, holder, owner, testStore } from "../../../../helpers/file/support.ts";
import { isWindows, unixDescribe, unixTest } from "../../../../helpers/platform.ts";

const me = owner("me");

unixDescribe("links")("a lock file that is a link", () => {
  test("is the lock that it points to: both ways meet", async () => {
    const directory = temporaryDirectory();
    mkdirSync(join(directory, "real"));
    const target = join(directory, "real", "target.lock");
    const link = join(directory, "alias.lock");
    symlinkSync(target, link);
    const byLink = await testStore(link);
    const byTarget = await testStore(target);
    const holding = await byLink.claim({ key: "alias", owner: me });
    expect(lstatSync(target).isFile()).toBe(true);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(existsSync(join(directory, ".holdfast"))).toBe(false);
    await failure(byTarget.claim({ key: "target", owner: me }, { timeout: 0 }), "TIMEOUT");
    const waiting = byTarget.claim({ key: "", owner: owner("other") });
    await holding.release();
    const second = await waiting;
    expect(second.lease.fence).toBeGreaterThan(holding.lease.fence as number);
    expect((await byLink.inspect("")).holders[0]?.owner).toBe("other");
    await second.release();
  });

  test("keeps its own name as key and URL, which lead back to it", async () => {
    const directory = temporaryDirectory();
    const link = join(directory, "alias.lock");
    symlinkSync(join(directory, "another name.lock"), link);
    const store = await testStore(link);
    expect(store.url).toBe(`file:${link}`);
    const holding = await store.claim({ key: "alias", owner: me });
    expect(holding.lease).toMatchObject({ key: "alias", store: store.url });
    const again = await testStore(holding.lease.store);
    expect(await again.verify(holding.lease)).toBe(true);
    expect((await again.list()).map(({ key }) => key)).toEqual(["alias"]);
    await holding.release();
    await failure(store.claim({ key: "other", owner: me }), "BAD_KEY");
  });

  test("that dangles: the lock appears where it points, through any number of links", async () => {
    const directory = temporaryDirectory();
    mkdirSync(join(directory, "a"));
    symlinkSync(join("a", "second.lock"), join(directory, "first.lock"));
    symlinkSync(join(directory, "a", "real.lock"), join(directory, "a", "second.lock"));
    const store = await testStore(join(directory, "first.lock"));
    const holding = await store.claim({ key: "", owner: me });
    expect(lstatSync(join(directory, "a", "real.lock")).isFile()).toBe(true);
    await holding.release();
    expect(existsSync(join(directory, "a", "real.lock"))).toBe(false);
    expect(readlinkSync(join(directory, "first.lock"))).toBe(join("a", "second.lock"));
  });

  test("in a directory store is followed by claim, list and clean alike, and never removed", async () => {
    const directory = temporaryDirectory();
    const elsewhere = temporaryDirectory();
    symlinkSync(join(elsewhere, "real.lock"), join(directory, "k.lock"));
    const store = await testStore(directory, { staleTimeout: 0 });
    expect(await store.list()).toEqual([]);
    const other = await holder(directory, { key: "k" });
    expect(lstatSync(join(elsewhere, "real.lock")).isFile()).toBe(true);
    expect(await store.list()).toMatchObject([{ key: "k", holders: [{ alive: true }] }]);
    expect(await store.clean?.({ owner: "cleaner" })).toEqual({ removed: [], failed: [] });
    await other.kill("SIGKILL");
    expect((await store.clean?.({ owner: "cleaner" }))?.removed).toMatchObject([
      { path: join(elsewhere, "real.lock") },
    ]);
    expect(lstatSync(join(directory, "k.lock")).isSymbolicLink()).toBe(true);
  });

  test("and leads to itself is refused, and does not disturb the others", async () => {
    const directory = temporaryDirectory();
    symlinkSync("b.lock", join(directory, "a.lock"));
    symlinkSync("a.lock", join(directory, "b.lock"));
    const error = await failure(openStore(join(directory, "a.lock")), "BAD_STORE");
    expect(error.message).toContain("loop of symbolic links");
    const store = await testStore(directory);
    await failure(store.claim({ key: "a", owner: me }), "BAD_STORE");
    const holding = await store.claim({ key: "k", owner: me });
    expect((await store.list()).map(({ key }) => key)).toEqual(["k"]);
    expect((await store.clean?.({ owner: "cleaner" }))?.failed).toEqual([]);
    await holding.release();
  });
});

unixDescribe("links")("a directory that is a link", () => {
  test("is the directory that it points to: both ways meet, and share one URL", async () => {
    const parent = temporaryDirectory();
    mkdirSync(join(parent, "real"));
    symlinkSync("real", join(parent, "alias"));
    const byLink = await testStore(join(parent, "alias"));
    const byTarget = await testStore(join(parent, "real"));
    expect(byLink.url).toBe(byTarget.url);
    const holding = await byLink.claim({ key: "k", owner: me });
    await failure(byTarget.claim({ key: "k", owner: me }, { timeout: 0 }), "TIMEOUT");
    await holding.release();
  });

  test("that dangles is made where it points", async () => {
    const parent = temporaryDirectory();
    symlinkSync(join(parent, "later", "locks"), join(parent, "alias"));
    const store = await testStore(join(parent, "alias"));
    await (await store.claim({ key: "k", owner: me })).release();
    expect(readdirSync(join(parent, "later", "locks"))).toContain(".lock_audit.log");
  });

  test("and leads to itself is refused with a code", async () => {
    const parent = temporaryDirectory();
    symlinkSync("b", join(parent, "a"));
    symlinkSync("a", join(parent, "b"));
    await failure(openStore(join(parent, "a")), "STORE_UNREACHABLE");
  });
});

unixDescribe("links")("a store that is named relative to a checkout", () => {
  /** A checkout with the links that git made of what somebody committed, and a directory elsewhere. */
  function checkout() {
    const workingDirectory = temporaryDirectory();
    const elsewhere = temporaryDirectory();
    mkdirSync(join(workingDirectory, "real"));
    return { workingDirectory, elsewhere };
  }

  test.each(["./locks", "file:locks", "locks/sub", "locks/k.lock"])(
    "%s is refused where a link leads out of it, and nothing is made there",
    async (store) => {
      const { workingDirectory, elsewhere } = checkout();
      symlinkSync(elsewhere, join(workingDirectory, "locks"));
      const error = await failure(openStore(store, { workingDirectory }), "STORE_UNSAFE");
      expect(error.message).toContain("leads out of the working directory");
      expect(readdirSync(elsewhere)).toEqual([]);
      await (await testStore(elsewhere)).list();
    },
  );

  test("a lock in it that is a link out of it is refused by claim, and passed over by clean", async () => {
    const { workingDirectory, elsewhere } = checkout();
    const target = join(elsewhere, "real.lock");
    writeFileSync(target, "pid=999999999\ntimestamp=1\n");
    symlinkSync(target, join(workingDirectory, "real", "k.lock"));
    const store = await testStore("real", { workingDirectory });
    await failure(store.claim({ key: "k", owner: me }), "STORE_UNSAFE");
    await failure(store.break("k", { reason: "x", owner: "me" }), "STORE_UNSAFE");
    expect((await store.clean?.({ owner: "me" }))?.removed).toEqual([]);
    expect(readdirSync(elsewhere)).toEqual(["real.lock"]);
    // Named by its absolute path, the same store is the user's own word.
    const absolute = await testStore(join(workingDirectory, "real"));
    await (await absolute.claim({ key: "k", owner: me })).release();
  });

  test("a link that stays inside is followed, and so is the working directory itself", async () => {
    const { workingDirectory, elsewhere } = checkout();
    symlinkSync("real", join(workingDirectory, "locks"));
    symlinkSync(workingDirectory, join(elsewhere, "here"));
    const store = await testStore("locks", { workingDirectory: join(elsewhere, "here") });
    await (await store.claim({ key: "k", owner: me })).release();
    expect(readdirSync(join(workingDirectory, "real"))).toContain(".lock_audit.log");
  });
});

test("a path with .. is refused, and nothing is made", async () => {
  const directory = temporaryDirectory();
  mkdirSync(join(directory, "a"));
  for (const path of ["../x", `${directory}/a/../b`, `file:${directory}/a/%2e%2e/b`, "../x.lock"])
    await failure(openStore(path, { workingDirectory: join(directory, "a") }), "BAD_STORE");
  expect(readdirSync(directory)).toEqual(["a"]);
});

test("a directory whose name ends in .lock is one when it is written with a slash", async () => {
  const directory = join(temporaryDirectory(), "store.lock");
  const store = await testStore(`${directory}/`);
  const holding = await store.claim({ key: "k", owner: me });
  expect(readdirSync(directory)).toContain("k.lock");
  const again = await testStore(holding.lease.store);
  expect((await again.inspect("k")).holders).toHaveLength(1);
  await holding.release();
});

test.each(isWindows ? ["k@1.lock"] : ["k@1.lock", "alias.lock"])(
  "%s that is slot 1 of k is no lock of its own",
  async (name) => {
    const directory = temporaryDirectory();
    if (name === "alias.lock") symlinkSync("k@1.lock", join(directory, name));
    const error = await failure(openStore(join(directory, name)), "BAD_STORE");
    expect(error.message).toContain('slot 1 of the lock "k.lock"');
  },
);

describe("keys on disk", () => {
  const LONG = "🚀".repeat(50);
  const KEYS = [
    "../x",
    "..",
    ".",
    "...",
    "a/b",
    "a b",
    "🚀",
    LONG,
    "x".repeat(200),
    "~",
    "%2F",
    "@1",
  ];

  test.each(KEYS)("%j stays in its directory and is listed under its own name", async (key) => {
    const parent = temporaryDirectory();
    const directory = join(parent, "locks");
    const store = await testStore(directory);
    const holding = await store.claim({ key, owner: me });
    expect(readdirSync(parent)).toEqual(["locks"]);
    expect(readdirSync(directory).filter((name) => name.endsWith(".lock"))).toHaveLength(1);
    expect((await store.list()).map((status) => status.key)).toEqual([key]);
    await holding.release();
    expect(await store.list()).toEqual([]);
    // Also while it is free, although its name may have been cut.
    expect((await store.list({ all: true })).map((status) => status.key)).toEqual([key]);
  });

  test("all of them are different locks", async () => {
    const store = await testStore(temporaryDirectory());
    const holdings = [];
    for (const key of KEYS) holdings.push(await store.claim({ key, owner: me }, { timeout: 0 }));
    expect((await store.list()).map(({ key }) => key).sort()).toEqual([...KEYS].sort());
    for (const holding of holdings) await holding.release();
  });

  unixTest("links")("a foreign lock whose name is no encoded key is listed as it is", async () => {
    const directory = temporaryDirectory();
    const store = await testStore(directory);
    writeFileSync(join(directory, "100%.lock"), `pid=${process.pid}\ntimestamp=1\n`);
    expect((await store.list()).map(({ key }) => key)).toEqual(["100%"]);
  });
});
