import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { migrateLockFile } from "../../../../../src/stores/file/migrate.ts";
import { cli } from "../../../../helpers/cli/cli.ts";
import { temporaryDirectory } from "../../../../helpers/directories.ts";
import {
  auditLog,
  deadPid,
  failure,
  isRoot,
  owner,
  testStore,
} from "../../../../helpers/file/support.ts";
import { testWhere, unixDescribe, unixTest } from "../../../../helpers/platform.ts";

/** A directory that several users share, and one user's own beside it, with a file that must stay as it is. */
async function scene() {
  const directory = temporaryDirectory();
  chmodSync(directory, 0o2770);
  const own = temporaryDirectory();
  const store = await testStore(directory, { staleTimeout: 0 });
  const precious = (name: string, content = "precious\n") => {
    const path = join(own, name);
    writeFileSync(path, content, { mode: 0o600 });
    utimesSync(path, 1, 1);
    return path;
  };
  return { directory, own, store, precious, lock: join(directory, "k.lock") };
}

const me = owner("me");
const NOBODY = 65_534;
const modeOf = (path: string) => (lstatSync(path).mode & 0o7777).toString(8);

/** Everything that a user may do to a key, none of which may reach through a refused link. */
async function expectRefused({ store, lock, own }: Awaited<ReturnType<typeof scene>>) {
  const before = readdirSync(own);
  await failure(store.claim({ key: "k", owner: me }, { timeout: 0 }), "STORE_UNSAFE");
  await failure(store.break("k", { reason: "x", owner: "me" }), "STORE_UNSAFE");
  await failure(store.inspect("k"), "STORE_UNSAFE");
  await failure(migrateLockFile(lock, { to: "json", owner: "me" }), "STORE_UNSAFE");
  expect(await store.clean?.({ owner: "me" })).toEqual({ removed: [], failed: [] });
  expect(lstatSync(lock).isSymbolicLink()).toBe(true);
  expect(readdirSync(own)).toEqual(before);
}

unixDescribe("links")("a lock file that is a link", () => {
  test.each(["a file", "nothing"])("to %s that is no lock is refused", async (what) => {
    const there = await scene();
    const target = join(there.own, "notes.txt");
    if (what === "a file") there.precious("notes.txt");
    symlinkSync(target, there.lock);
    await expectRefused(there);
    expect(existsSync(target)).toBe(what === "a file");
  });

  testWhere(isRoot, "modes and owners")("to a device is refused", async () => {
    const there = await scene();
    // A node of its own, never the system's: a fault here would remove what every process needs.
    const device = join(there.own, "null");
    execFileSync("mknod", [device, "c", "1", "3"]);
    symlinkSync(device, there.lock);
    await expectRefused(there);
    expect(lstatSync(device).isCharacterDevice()).toBe(true);
  });

  test.each([
    ["text", "precious\n"],
    ["nothing", ""],
  ])(
    "to a file with a lock's name and %s in it: looked at, and nothing is made beside it",
    async (_, content) => {
      const { store, lock, precious, own } = await scene();
      const target = precious("real.lock", content);
      symlinkSync(target, lock);
      const claim = () => store.claim({ key: "k", owner: me }, { timeout: 0 });
      const error = await failure(claim(), "BAD_LOCK_FILE");
      expect(error.message).toContain(target);
      await failure(store.break("k", { reason: "x", owner: "me" }), "BAD_LOCK_FILE");
      const freeze = { reason: "x", owner: "me", duration: null };
      await failure(Promise.resolve(store.freeze?.("k", freeze)), "BAD_LOCK_FILE");
      // A link in a checkout, named by a job that gives the whole path.
      const ran = await cli(["run", "--store", lock, "--timeout", "0", "--", "true"]);
      expect(ran).toMatchObject({ code: 125, stdout: "" });
      expect(ran.stderr).toContain(target);
      const [holder] = (await store.inspect("k")).holders;
      expect(holder).toMatchObject({ alive: null, reclaimable: null });
      expect(await store.clean?.({ owner: "me" })).toEqual({ removed: [], failed: [] });
      expect(readFileSync(target, "utf8")).toBe(content);
      expect(readdirSync(own)).toEqual(["real.lock"]);
    },
  );

  test("to a lock of a dead process is followed, and that lock taken over", async () => {
    const { store, lock, precious } = await scene();
    symlinkSync(precious("real.lock", `pid=${await deadPid()}\ntimestamp=1\n`), lock);
    const holding = await store.claim({ key: "k", owner: me }, { timeout: 0 });
    expect(holding.reclaimed?.reason).toBe("HOLDER_DEAD");
    await holding.release();
  });

  testWhere(isRoot, "modes and owners")(
    "of another user is not followed, wherever it leads",
    async () => {
      for (const name of ["real.lock", "missing.lock", "notes.txt"]) {
        const there = await scene();
        if (name !== "missing.lock") there.precious(name, `pid=${await deadPid()}\ntimestamp=1\n`);
        symlinkSync(join(there.own, name), there.lock);
        lchownSync(there.lock, NOBODY, NOBODY);
        await expectRefused(there);
      }
    },
  );

  testWhere(isRoot, "modes and owners")(
    "into a directory of another user is not followed",
    async () => {
      const there = await scene();
      chownSync(there.own, NOBODY, NOBODY);
      symlinkSync(join(there.own, "real.lock"), there.lock);
      await expectRefused(there);
    },
  );
});

unixDescribe("links")("a side file that is something else", () => {
  /** Claims and releases once, so that everything is there. */
  async function used() {
    const there = await scene();
    await (await there.store.claim({ key: "k", owner: me })).release();
    await there.store.close();
    const side = join(there.directory, ".holdfast", "k.lock");
    return { ...there, side, store: await testStore(there.directory) };
  }

  test.each(["link", "second name"] as const)(
    "the fence as a %s of a file is refused",
    async (how) => {
      const { store, side, precious } = await used();
      // On the same filesystem, for the second name.
      const target = precious("notes.txt");
      rmSync(join(side, "fence"));
      (how === "link" ? symlinkSync : linkSync)(target, join(side, "fence"));
      const error = await failure(
        store.claim({ key: "k", owner: me }, { timeout: 0 }),
        "STORE_UNSAFE",
      );
      expect(error.message).toContain(join(side, "fence"));
      expect(readFileSync(target, "utf8")).toBe("precious\n");
      expect(modeOf(target)).toBe("600");
    },
  );

  test("the fence as a link to nothing makes nothing", async () => {
    const { store, side, own } = await used();
    rmSync(join(side, "fence"));
    symlinkSync(join(own, "new"), join(side, "fence"));
    await failure(store.claim({ key: "k", owner: me }, { timeout: 0 }), "STORE_UNSAFE");
    expect(readdirSync(own)).toEqual([]);
  });

  test("the fence as a fifo is refused, not waited for", async () => {
    const { store, side } = await used();
    rmSync(join(side, "fence"));
    execFileSync("mkfifo", [join(side, "fence")]);
    await failure(store.claim({ key: "k", owner: me }, { timeout: 0 }), "STORE_UNSAFE");
    expect((await store.inspect("k")).holders).toEqual([]);
  });

  test("a fence that is there keeps its mode", async () => {
    const { store, side } = await used();
    expect(modeOf(join(side, "fence"))).toBe("660");
    chmodSync(join(side, "fence"), 0o640);
    await (await store.claim({ key: "k", owner: me })).release();
    expect(modeOf(join(side, "fence"))).toBe("640");
  });

  test.each(["a link to a database", "a link to nothing", "a fifo", "a file with content"])(
    "the guard as %s is refused",
    async (what) => {
      const { store, side, own, precious } = await used();
      const guard = join(side, "guard");
      const database = precious("app.db");
      rmSync(guard);
      if (what === "a fifo") execFileSync("mkfifo", [guard]);
      else if (what === "a file with content") renameSync(database, guard);
      else symlinkSync(what === "a link to nothing" ? join(own, "new") : database, guard);
      const before = readdirSync(own);
      const error = await failure(store.claim({ key: "k", owner: me }), "STORE_UNSAFE");
      expect(error.message).toContain(guard);
      expect(readdirSync(own)).toEqual(before);
    },
  );

  test.each([".holdfast", ".holdfast/k.lock"])("%s as a link is refused by all", async (name) => {
    const { store, directory, own } = await used();
    const path = join(directory, name);
    renameSync(path, join(own, "moved"));
    symlinkSync(join(own, "moved"), path);
    const before = readdirSync(own, { recursive: true });
    const error = await failure(store.claim({ key: "k", owner: me }), "STORE_UNSAFE");
    expect(error.message).toContain(`${path} is not a directory, but a symbolic link`);
    await failure(store.break("k", { reason: "x", owner: "me" }), "STORE_UNSAFE");
    expect((await store.clean?.({ owner: "me" }))?.failed).toMatchObject([
      { why: expect.stringContaining("symbolic link") },
    ]);
    expect(readdirSync(own, { recursive: true })).toEqual(before);
  });

  test("a new store whose side directory is a link makes nothing there", async () => {
    const { store, directory, own } = await scene();
    symlinkSync(own, join(directory, ".holdfast"));
    await failure(store.claim({ key: "k", owner: me }), "STORE_UNSAFE");
    expect(readdirSync(own)).toEqual([]);
    expect(modeOf(own)).toBe("700");
  });

  test("the audit log as a second name of a file is not written to, and stops nothing", async () => {
    const { store, directory, precious } = await used();
    const target = precious("notes.txt");
    rmSync(join(directory, ".lock_audit.log"));
    linkSync(target, join(directory, ".lock_audit.log"));
    await (await store.claim({ key: "k", owner: me })).release();
    expect(readFileSync(target, "utf8")).toBe("precious\n");
    expect(modeOf(target)).toBe("600");
  });
});

unixTest("links")("an empty log or fence that a crash left unfinished gets its mode", async () => {
  const { store, directory } = await scene();
  writeFileSync(join(directory, ".lock_audit.log"), "", { mode: 0o600 });
  mkdirSync(join(directory, ".holdfast", "k.lock"), { recursive: true });
  const fence = join(directory, ".holdfast", "k.lock", "fence");
  writeFileSync(fence, "", { mode: 0o600 });
  await (await store.claim({ key: "k", owner: me })).release();
  expect(auditLog(directory)).toHaveLength(2);
  expect(statSync(join(directory, ".lock_audit.log")).mode & 0o777).toBe(0o660);
  expect(statSync(fence).mode & 0o777).toBe(0o660);
});
