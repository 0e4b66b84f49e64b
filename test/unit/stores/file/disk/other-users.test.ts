import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, lchownSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../../helpers/directories.ts";
import { isLinux, isRoot, owner, testStore } from "../../../../helpers/file/support.ts";
import { describeWhere, testWhere } from "../../../../helpers/platform.ts";

const NOBODY = 65_534;
const OPEN = fileURLToPath(new URL("../../../../../src/stores/open.ts", import.meta.url));

/** Claims without waiting and prints how it ended. */
const CLAIM = `
  const [, open, directory] = process.argv;
  import(open)
    .then(({ openStore }) => openStore(directory, { fsync: false }))
    .then((store) => store.claim({ key: "k", owner: { id: "nobody", metadata: {} } }, { timeout: 0 }))
    .then((holding) => holding.release())
    .then((outcome) => console.log(outcome), (error) => console.log(error.code));
`;

function claimAsNobody(directory: string, launcher: string[] = []): string {
  const [command, ...words] = [...launcher, process.execPath, "-e", CLAIM, OPEN, directory];
  const as = launcher.length === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const { stdout, stderr } = spawnSync(command as string, words, { encoding: "utf8", ...as });
  return stdout.trim() || stderr;
}

/** Root alone can become somebody else; and nobody must be able to read these sources. */
function canBeNobody(): boolean {
  if (!isLinux || !isRoot) return false;
  const script = `require("node:fs").readFileSync(${JSON.stringify(OPEN)})`;
  const as = { uid: NOBODY, gid: NOBODY };
  return spawnSync(process.execPath, ["-e", script], as).status === 0;
}

/** Mounts /proc anew for one process, such that it shows that process's user alone. */
const HIDING = [
  ...["unshare", "--mount", "sh", "-c"],
  'mount -o remount,hidepid=2 /proc && exec setpriv --reuid 65534 --regid 65534 --clear-groups "$0" "$@"',
];

function canHide(): boolean {
  const [command, ...words] = [...HIDING, "test", "!", "-e", "/proc/1"];
  return canBeNobody() && spawnSync(command as string, words).status === 0;
}

describeWhere(canBeNobody(), "modes and owners")("two users of one directory", () => {
  test("exclude each other, and take turns", async () => {
    const directory = temporaryDirectory();
    chmodSync(directory, 0o777);
    const store = await testStore(directory);
    const holding = await store.claim({ key: "k", owner: owner("root") });
    expect(claimAsNobody(directory)).toBe("TIMEOUT");
    await holding.release();
    expect(claimAsNobody(directory)).toBe("released");
    await (await store.claim({ key: "k", owner: owner("root") }, { timeout: 0 })).release();
  });

  test("a guard that the second may only read is refused: its lock would keep nobody out", async () => {
    const directory = temporaryDirectory();
    chmodSync(directory, 0o777);
    const store = await testStore(directory);
    await (await store.claim({ key: "k", owner: owner("root") })).release();
    chmodSync(join(directory, ".holdfast", "k.lock", "guard"), 0o644);
    expect(claimAsNobody(directory)).toBe("STORE_DENIED");
  });

  test("a directory that the second may only read is refused", async () => {
    const directory = temporaryDirectory();
    chmodSync(directory, 0o755);
    expect(claimAsNobody(directory)).toBe("STORE_DENIED");
  });

  test.each([
    ["a third user", 54_321, "STORE_UNSAFE"],
    ["its own", NOBODY, "released"],
    ["root", 0, "released"],
  ])("a lock that is a link of %s: %s", (_, maker, outcome) => {
    const directory = temporaryDirectory();
    chmodSync(directory, 0o777);
    const own = temporaryDirectory();
    chownSync(own, NOBODY, NOBODY);
    const target = join(own, "real.lock");
    writeFileSync(target, "pid=999999999\ntimestamp=1\n");
    chownSync(target, NOBODY, NOBODY);
    symlinkSync(target, join(directory, "k.lock"));
    lchownSync(join(directory, "k.lock"), maker, maker);
    expect(claimAsNobody(directory)).toBe(outcome);
    expect(existsSync(target)).toBe(outcome !== "released");
  });

  test("a user without an entry in passwd can lock", () => {
    const directory = temporaryDirectory();
    chmodSync(directory, 0o777);
    const as = { uid: 54_321, gid: 54_321, encoding: "utf8" } as const;
    const { stdout } = spawnSync(process.execPath, ["-e", CLAIM, OPEN, directory], as);
    expect(stdout.trim()).toBe("released");
  });

  testWhere(canHide(), "a mount namespace")(
    "a living holder is not robbed where /proc hides it (hidepid)",
    async () => {
      const directory = temporaryDirectory();
      chmodSync(directory, 0o777);
      const store = await testStore(directory);
      const holding = await store.claim({ key: "k", owner: owner("root") });
      expect(claimAsNobody(directory, HIDING)).toBe("TIMEOUT");
      expect(holding.lost.aborted).toBe(false);
      expect(await holding.release()).toBe("released");
      expect(claimAsNobody(directory, HIDING)).toBe("released");
    },
  );
});
