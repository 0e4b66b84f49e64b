import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Progress } from "../../../../../src/lock/store.ts";
import { Guard, lockingPid, whoLocks } from "../../../../../src/stores/file/disk/guard.ts";
import { temporaryDirectory } from "../../../../helpers/directories.ts";
import { failure, isLinux, owner, testStore } from "../../../../helpers/file/support.ts";
import { unixDescribe, unixTest } from "../../../../helpers/platform.ts";
import { eventually } from "../../../../helpers/waiting.ts";

const nothing = { prepare: () => {} };

/** A process that sits in the guard, from when this resolves. */
async function occupant(guard: string) {
  const script = fileURLToPath(
    new URL("../../../../helpers/file/guard-holder.ts", import.meta.url),
  );
  const child = spawn(process.execPath, [script, guard], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  });
  await once(child.stdout, "data");
  return child;
}

/** A store whose key has been used, so that its guard is there. */
async function usedStore() {
  const directory = temporaryDirectory();
  const store = await testStore(directory);
  await (await store.claim({ key: "k", owner: owner("first") })).release();
  return { store, guard: join(directory, ".holdfast", "k.lock", "guard") };
}

describe("lines of /proc/locks", () => {
  const LOCKS = [
    "1: POSIX  ADVISORY  WRITE 4711 fd:01:1234 1073741826 1073742335",
    "2: POSIX  ADVISORY  READ  4712 fd:01:99 1073741826 1073742335",
    "3: FLOCK  ADVISORY  WRITE 4713 00:1a:77 0 EOF",
    "4: -> POSIX  ADVISORY  WRITE 4714 fd:01:55 0 EOF",
    "5: POSIX  ADVISORY  WRITE 4715 103:05:42 0 EOF",
    "",
  ].join("\n");
  const device = (major: bigint, minor: bigint) =>
    ((major & 0xfffn) << 8n) |
    (minor & 0xffn) |
    ((minor & ~0xffn) << 12n) |
    ((major & ~0xfffn) << 32n);

  test.each([
    ["a writer is named", 0xfdn, 1n, 1234n, 4711],
    ["a small device number has two digits", 0n, 0x1an, 77n, 4713],
    ["a large one has more", 0x103n, 5n, 42n, 4715],
    ["a reader keeps nobody out", 0xfdn, 1n, 99n, null],
    ["one who waits is not the one who holds", 0xfdn, 1n, 55n, null],
    ["another device", 0xfdn, 2n, 1234n, null],
    ["another inode", 0xfdn, 1n, 123n, null],
  ])("%s", (_, major, minor, inode, pid) => {
    expect(lockingPid(LOCKS, device(major, minor), inode)).toBe(pid);
  });
});

test("one process at a time is in the guard; the kernel frees it when that one is killed", async () => {
  const path = join(temporaryDirectory(), "guard");
  writeFileSync(path, "");
  const other = await occupant(path);
  const guard = new Guard(path);
  expect(guard.tryEnter(nothing)).toBe(false);
  if (isLinux) expect(whoLocks(path)).toBe(`process ${other.pid}`);
  const entering = guard.enter(nothing);
  other.kill("SIGKILL");
  expect(await entering).toBe("entered");
  guard.leave();
  expect(whoLocks(path)).toBeNull();
  guard.close();
});

test("two of one process keep each other out as well", () => {
  const path = join(temporaryDirectory(), "guard");
  writeFileSync(path, "");
  const [first, second] = [new Guard(path), new Guard(path)];
  expect(first.tryEnter(nothing)).toBe(true);
  expect(second.tryEnter(nothing)).toBe(false);
  first.leave();
  expect(second.tryEnter(nothing)).toBe(true);
  // Closing the first must not drop the lock that the second has on the same file.
  first.close();
  const third = new Guard(path);
  expect(third.tryEnter(nothing)).toBe(false);
  third.close();
  second.leave();
  second.close();
});

unixTest("files in use that may be replaced and removed")(
  "a guard whose file was removed and made again is entered anew, not the old one",
  async () => {
    const path = join(temporaryDirectory(), "guard");
    writeFileSync(path, "");
    const guard = new Guard(path);
    expect(guard.tryEnter(nothing)).toBe(true);
    guard.leave();
    rmSync(path);
    writeFileSync(path, "");
    await occupant(path);
    expect(guard.tryEnter(nothing)).toBe(false);
    guard.close();
  },
);

test("a guard that is no guard is refused with a sentence", async () => {
  const { store, guard } = await usedStore();
  await store.close();
  writeFileSync(guard, "this is text, not a database, and long enough to be looked at".repeat(20));
  const error = await failure(store.claim({ key: "k", owner: owner("me") }), "STORE_UNSAFE");
  expect(error.message).toContain(guard);
});

unixDescribe("signals")("a stopped process in the guard", () => {
  test("is named by GUARD_BUSY to a command, and by trouble to those who wait", async () => {
    const { store, guard } = await usedStore();
    const other = await occupant(guard);
    other.kill("SIGSTOP");
    const reports: Progress[] = [];
    const waiting = store.claim(
      { key: "k", owner: owner("waiting") },
      { onProgress: (progress) => reports.push(progress) },
    );
    const error = await failure(
      store.claim({ key: "k", owner: owner("impatient") }, { timeout: 0 }),
      "GUARD_BUSY",
    );
    expect(error.message).toContain(guard);
    if (isLinux) expect(error.message).toContain(`process ${other.pid} (stopped)`);
    // Looking needs no guard.
    expect((await store.inspect("k")).holders).toEqual([]);
    other.kill("SIGCONT");
    other.kill("SIGKILL");
    await (await waiting).release();
    expect(reports.some(({ trouble }) => trouble?.includes(guard))).toBe(true);
  });

  test("does not keep a claim from being cancelled or from timing out", async () => {
    const { store, guard } = await usedStore();
    const other = await occupant(guard);
    other.kill("SIGSTOP");
    const controller = new AbortController();
    const cancelled = store.claim(
      { key: "k", owner: owner("cancelled") },
      { signal: controller.signal },
    );
    await failure(store.claim({ key: "k", owner: owner("late") }, { timeout: 300 }), "TIMEOUT");
    controller.abort();
    await failure(cancelled, "ABORTED");
    other.kill("SIGKILL");
    await eventually(
      () => store.inspect("k"),
      ({ waiting }) => waiting === 0,
    );
  });
});
