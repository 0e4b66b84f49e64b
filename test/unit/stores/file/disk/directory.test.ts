import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { LockError } from "../../../../../src/lock/errors.ts";
import { checkDefault } from "../../../../../src/machine/private-directory.ts";
import { prepareDirectory } from "../../../../../src/stores/file/disk/directory.ts";
import { explain } from "../../../../../src/stores/file/disk/errors.ts";
import { temporaryDirectory } from "../../../../helpers/directories.ts";
import {
  deadPid,
  failure,
  isRoot,
  isWindows,
  owner,
  testStore,
} from "../../../../helpers/file/support.ts";
import { describeWhere, testWhere, unixDescribe } from "../../../../helpers/platform.ts";

const modeOf = (path: string) => (statSync(path).mode & 0o7777).toString(8);

unixDescribe("modes and owners")("modes", () => {
  test.each([
    [0o700, "600", "700"],
    [0o2770, "660", "2770"],
    [0o755, "644", "755"],
    [0o1777, "666", "1777"],
  ])("in a directory %o files are %s and side directories %s", async (mode, files, sides) => {
    const directory = temporaryDirectory();
    chmodSync(directory, mode);
    const store = await testStore(directory, { fsync: true });
    const holding = await store.claim({ key: "k", slots: 2, owner: owner("me") });
    const second = await store.claim({ key: "k", slots: 2, owner: owner("me, again") });
    const waiting = store.claim({ key: "k", slots: 2, owner: owner("waiting") });
    const side = join(directory, ".holdfast", "k.lock");
    while (!readdirSync(side).some((name) => name.endsWith(".ticket")))
      await new Promise((resolve) => setTimeout(resolve, 5));
    const paths = ["k.lock", "k@1.lock", ".lock_audit.log"].map((name) => join(directory, name));
    for (const name of readdirSync(side)) paths.push(join(side, name));
    expect(Object.fromEntries(paths.map((path) => [path, modeOf(path)]))).toEqual(
      Object.fromEntries(paths.map((path) => [path, files])),
    );
    expect(readdirSync(side).map((name) => name.replace(/^\d+-.*\./, "*."))).toEqual(
      expect.arrayContaining(["*.ticket", "fence", "guard"]),
    );
    expect(modeOf(join(directory, ".holdfast"))).toBe(sides);
    expect(modeOf(side)).toBe(sides);
    await holding.release();
    await (await waiting).release();
    await second.release();
  });

  test.each(["break", "clean"] as const)(
    "a log that %s starts has the directory's, too",
    async (act) => {
      const directory = temporaryDirectory();
      chmodSync(directory, 0o2770);
      const store = await testStore(directory);
      writeFileSync(join(directory, "k.lock"), `pid=${await deadPid()}\ntimestamp=1\n`);
      if (act === "break") await store.break("k", { reason: "x", owner: "admin" });
      else await store.clean?.({ owner: "admin" });
      expect(modeOf(join(directory, ".lock_audit.log"))).toBe("660");
      expect(modeOf(join(directory, ".holdfast", "k.lock", "guard"))).toBe("660");
    },
  );

  test("a directory that the user names is made where it is missing, with its parents", async () => {
    const directory = join(temporaryDirectory(), "a", "b");
    const store = await testStore(directory);
    expect(await store.list()).toEqual([]);
    expect((await store.inspect("k")).holders).toEqual([]);
    expect(await store.break("k", { reason: "x", owner: "admin" })).toEqual({ broken: [] });
    expect(await store.clean?.({ owner: "admin" })).toEqual({ removed: [], failed: [] });
    expect(statSync(directory, { throwIfNoEntry: false })).toBeUndefined();
    await (await store.claim({ key: "k", owner: owner("me") })).release();
    expect(statSync(directory).isDirectory()).toBe(true);
  });
});

unixDescribe("modes and owners")("the default directory", () => {
  test("is made for this user alone", () => {
    const path = join(temporaryDirectory(), "holdfast");
    prepareDirectory(path, true);
    expect(modeOf(path)).toBe("700");
    expect(() => prepareDirectory(path, true)).not.toThrow();
  });

  test.each([0o700, 0o755, 0o711])("may be %o", (mode) => {
    const path = join(temporaryDirectory(), "holdfast");
    mkdirSync(path);
    chmodSync(path, mode);
    expect(() => checkDefault(path)).not.toThrow();
  });

  const refusal = (path: string): string => {
    try {
      prepareDirectory(path, true);
    } catch (error) {
      if (!(error instanceof LockError)) throw error;
      expect(error.code).toBe("STORE_UNSAFE");
      expect(error.message).toContain("--store");
      return error.message;
    }
    return "not refused";
  };

  test.each([0o777, 0o1777, 0o770, 0o722, 0o702])(
    "is refused when others may write: %o",
    (mode) => {
      const path = join(temporaryDirectory(), "holdfast");
      mkdirSync(path);
      chmodSync(path, mode);
      expect(refusal(path)).toContain("is writable by others");
    },
  );

  test("is refused when it is a link, even to a safe directory", () => {
    const parent = temporaryDirectory();
    mkdirSync(join(parent, "real"), { mode: 0o700 });
    symlinkSync(join(parent, "real"), join(parent, "holdfast"));
    expect(refusal(join(parent, "holdfast"))).toContain("is a symbolic link");
  });

  test("is refused when it is a dangling link", () => {
    const parent = temporaryDirectory();
    symlinkSync(join(parent, "nowhere"), join(parent, "holdfast"));
    expect(refusal(join(parent, "holdfast"))).toContain("is a symbolic link");
    expect(readdirSync(parent)).toEqual(["holdfast"]);
  });

  test("is refused when it is a file", () => {
    const path = join(temporaryDirectory(), "holdfast");
    writeFileSync(path, "");
    expect(refusal(path)).toContain("is not a directory");
  });

  test("is refused when it belongs to another user", () => {
    const path = join(temporaryDirectory(), "holdfast");
    mkdirSync(path, { mode: 0o700 });
    // Only root can give a directory away; everybody else finds one of root's.
    if (isRoot) chownSync(path, 65_534, 65_534);
    expect(refusal(isRoot ? path : "/usr")).toContain("belongs to another user");
  });
});

/** A process with a /tmp of its own, in which the default directory can be anything. */
function inOwnTmp(prepare: string, script: string): string {
  const open = fileURLToPath(new URL("../../../../../src/stores/open.ts", import.meta.url));
  const shell = `mount -t tmpfs none /tmp && ${prepare} && exec "$0" -e "$1" "$2"`;
  const words = ["--mount", "sh", "-c", shell, process.execPath, script, open];
  const { stdout, stderr } = spawnSync("unshare", words, { encoding: "utf8" });
  return stdout.trim() || stderr;
}

const canMount = isRoot && inOwnTmp("true", "console.log('yes')") === "yes";

describeWhere(canMount, "a mount namespace")(
  "the default directory, as every command finds it",
  () => {
    const call = (store: string, act: string) => `
    import(process.argv[1])
      .then(({ openStore }) => openStore(${JSON.stringify(store)}, { fsync: false }))
      .then((store) => store.${act})
      .then(() => console.log("done"), (error) => console.log(error.code));
  `;
    const ACTS = [
      'claim({ key: "k", owner: { id: "me", metadata: {} } }).then((holding) => holding.release())',
      'inspect("k")',
      "list()",
      'clean({ owner: "me" })',
      'break("k", { reason: "x", owner: "me" })',
    ];
    const CASES = ["file:", "/tmp/holdfast/k.lock"].flatMap((store) =>
      ACTS.map((act) => [store, act] as const),
    );

    test.each(CASES)(
      "%s: %s refuses a link, also one to nowhere, and a stranger's",
      (store, act) => {
        const dangling = "ln -s /tmp/nowhere /tmp/holdfast";
        const link = "mkdir -m 700 /tmp/own && ln -s /tmp/own /tmp/holdfast";
        const strange = "mkdir -m 700 /tmp/holdfast && chown 65534 /tmp/holdfast";
        for (const prepare of [dangling, link, strange])
          expect([prepare, inOwnTmp(prepare, call(store, act))]).toEqual([prepare, "STORE_UNSAFE"]);
        expect(inOwnTmp("mkdir -m 700 /tmp/holdfast", call(store, act))).toBe("done");
        expect(inOwnTmp("true", call(store, act))).toBe("done");
      },
    );

    test("one lock file in it makes it for this user alone", () => {
      const look =
        'console.log((require("node:fs").statSync("/tmp/holdfast").mode & 0o777).toString(8))';
      const script = call("/tmp/holdfast/k.lock", ACTS[0] as string).replace(
        'console.log("done")',
        look,
      );
      expect(inOwnTmp("umask 002", script)).toBe("700");
    });
  },
);

describe("a store that cannot be used says so in one sentence", () => {
  test("a file where the directory should be", async () => {
    const path = join(temporaryDirectory(), "file");
    writeFileSync(path, "");
    const store = await testStore(path);
    for (const call of [
      () => store.claim({ key: "k", owner: owner("me") }),
      () => store.inspect("k"),
      () => store.list(),
    ])
      expect((await failure(call(), "BAD_STORE")).message).toContain("is not a directory");
  });

  test("a path below a file", async () => {
    const path = join(temporaryDirectory(), "file");
    writeFileSync(path, "");
    // Windows says of what is below a file only that it is not there.
    const opening = testStore(join(path, "locks"));
    const claiming = async () => (await opening).claim({ key: "k", owner: owner("me") });
    await failure(isWindows ? claiming() : opening, "BAD_STORE");
  });

  testWhere(!isWindows && !isRoot, "modes and owners")(
    "a directory that may only be read",
    async () => {
      const directory = temporaryDirectory();
      chmodSync(directory, 0o500);
      const store = await testStore(directory);
      await failure(store.claim({ key: "k", owner: owner("me") }), "STORE_DENIED");
      chmodSync(directory, 0o700);
    },
  );

  test.each([
    ["EACCES", "STORE_DENIED"],
    ["EPERM", "STORE_DENIED"],
    ["EROFS", "STORE_DENIED"],
    ["ENOSPC", "STORE_FULL"],
    ["EDQUOT", "STORE_FULL"],
    ["ENOTDIR", "BAD_STORE"],
    ["ENOENT", "STORE_UNREACHABLE"],
    ["EIO", "STORE_UNREACHABLE"],
    ["EMFILE", "STORE_UNREACHABLE"],
  ])("%s is %s, and keeps its cause", (code, expected) => {
    const cause = Object.assign(new Error(`${code}: it failed`), { code });
    const error = explain(cause, "/locks");
    expect(error.code).toBe(expected);
    expect(error.message).toContain("/locks");
    if (expected !== "BAD_STORE") expect(error.cause).toBe(cause);
    expect(explain(error, "/other")).toBe(error);
  });
});
