import { spawnSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmdirSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { KeyStatus } from "../../../../src/lock/status.ts";
import { cli, json, program, startCli, UNTIL_INPUT_ENDS } from "../../../helpers/cli/cli.ts";
import { temporaryDirectory } from "../../../helpers/directories.ts";
import { until } from "../../../helpers/waiting.ts";

const isRoot = process.getuid?.() === 0;
/** Nothing is forbidden to root; the user that is called nobody will do instead. */
const stranger = isRoot ? { uid: 65_534 } : {};

describe("a directory that this user may not use", () => {
  const closed: string[] = [];
  const close = (directory: string, mode: number) => {
    chmodSync(directory, mode);
    closed.push(directory);
  };
  // Else it could not be removed.
  afterEach(() => {
    for (const directory of closed.splice(0)) chmodSync(directory, 0o700);
  });

  test("read-only: run refuses with 125, says what to do, and writes nothing", async () => {
    const directory = temporaryDirectory();
    close(directory, 0o555);
    const ended = await cli(
      ["run", "k", "--store", directory, "--json", "--", "echo", "ran"],
      stranger,
    );
    expect(ended.code).toBe(125);
    expect(json(ended)).toMatchObject({ error: { code: "STORE_DENIED" } });
    expect(ended.stderr).toMatch(/^holdfast: The store \/\S+ cannot be used .*--store\.\n$/);
    expect(readdirSync(directory)).toEqual([]);
  });

  test("read-only: status and list can look", async () => {
    const directory = temporaryDirectory();
    chmodSync(directory, 0o755);
    await cli(["run", "k", "--store", directory, "--", ...program("")]);
    close(directory, 0o555);
    expect((await cli(["status", "k", "--store", directory], stranger)).code).toBe(0);
    expect((await cli(["list", "--store", directory], stranger)).code).toBe(0);
  });

  test.each([
    ["run", 125],
    ["status", 2],
    ["list", 2],
    ["break", 2],
    ["clean", 2],
  ] as const)("unreadable: %s refuses with %i", async (command, code) => {
    const directory = join(temporaryDirectory(), "locks");
    mkdirSync(directory);
    chmodSync(join(directory, ".."), 0o755);
    close(directory, 0o000);
    const args = {
      run: ["k", "--", "echo", "ran"],
      status: ["k"],
      list: [],
      break: ["k", "--reason", "r"],
      clean: [],
    }[command];
    const ended = await cli([command, "--json", "--store", directory, ...args], stranger);
    expect(ended.code).toBe(code);
    expect(json(ended)).toMatchObject({ error: { code: "STORE_DENIED" } });
    expect(ended.stderr).toMatch(/^holdfast: [^\n]+\.\n$/);
  });
});

test("a directory where the lock file should be: 125 and a sentence, and it stays", async () => {
  const directory = temporaryDirectory();
  mkdirSync(join(directory, "k.lock"));
  const ended = await cli([
    "run",
    "k",
    "--store",
    directory,
    "--json",
    "--timeout",
    "1s",
    "--",
    "echo",
  ]);
  expect(ended.code).toBe(125);
  expect(ended.stderr).toMatch(/^holdfast: [^\n]*k\.lock[^\n]*directory[^\n]*\n$/);
  expect(readdirSync(directory)).toContain("k.lock");
});

/** A filesystem of 64 kB, where this user may make one. */
const mounted: string[] = [];
const canMount = isRoot && process.platform === "linux" && tryMount();

function mount(directory: string): boolean {
  return spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", directory]).status === 0;
}

/** Asked before the first test, so that its directory is not one that ends with a test. */
function tryMount(): boolean {
  const directory = mkdtempSync(join(tmpdir(), "holdfast-test-"));
  const canMount = mount(directory);
  if (canMount) spawnSync("umount", [directory]);
  rmdirSync(directory);
  return canMount;
}

describe.skipIf(!canMount)("a full disk (needs root, for a small tmpfs)", () => {
  afterEach(() => {
    for (const directory of mounted.splice(0)) spawnSync("umount", ["--lazy", directory]);
  });

  function smallDisk(): string {
    const directory = temporaryDirectory();
    expect(mount(directory)).toBe(true);
    mounted.push(directory);
    return directory;
  }

  function fill(directory: string): void {
    const handle = openSync(join(directory, "filling"), "w");
    try {
      for (;;) writeSync(handle, Buffer.alloc(1_024));
    } catch (error) {
      expect(error).toMatchObject({ code: "ENOSPC" });
    } finally {
      closeSync(handle);
    }
  }

  test("while acquiring: 125, one sentence, the command does not run", async () => {
    const directory = smallDisk();
    fill(directory);
    const ended = await cli(["run", "k", "--store", directory, "--json", "--", "echo", "ran"]);
    expect(ended.code).toBe(125);
    expect(json(ended)).toMatchObject({ error: { code: "STORE_FULL" } });
    expect(ended.stderr).toMatch(/^holdfast: The disk of the store \/\S+ is full .*\.\n$/);
  });

  test("while waiting in line it cannot join: 125, and the holder is not disturbed", async () => {
    const directory = smallDisk();
    const holder = startCli(["run", "k", "--store", directory, "--", ...UNTIL_INPUT_ENDS]);
    await holder.prints(/ready/);
    fill(directory);
    const ended = await cli(["run", "k", "--store", directory, "--json", "--", "echo", "ran"]);
    expect(ended.code).toBe(125);
    expect(json(ended)).toMatchObject({ error: { code: "STORE_FULL" } });
    holder.process.stdin?.end();
    expect((await holder.ended).code).toBe(0);
  });

  test("while heartbeating: the lock stays held, for heartbeats need no space, and is let go", async () => {
    const directory = smallDisk();
    const args = [
      "run",
      "k",
      "--dead-after",
      "1s",
      "--store",
      directory,
      "--",
      ...UNTIL_INPUT_ENDS,
    ];
    const holder = startCli(args);
    await holder.prints(/ready/);
    fill(directory);
    const beat = async () => {
      const status = json<KeyStatus>(await cli(["status", "k", "--store", directory, "--json"]));
      return status.holders[0]?.heartbeat;
    };
    const first = await beat();
    expect(first).toEqual(expect.any(String));
    await until(async () => (await beat()) !== first);
    holder.process.stdin?.end();
    expect(await holder.ended).toMatchObject({ code: 0, stderr: "" });
    expect(json(await cli(["status", "k", "--store", directory, "--json"])).holders).toEqual([]);
  });
});
