import { existsSync, readdirSync, readFileSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { DEFAULT_RECLAIM } from "../../../../../src/lock/reclaim.ts";
import { systemClock } from "../../../../../src/lock/time.ts";
import { openProcesses } from "../../../../../src/machine/processes.ts";
import { preparePlace } from "../../../../../src/stores/file/disk/directory.ts";
import { GuardPool } from "../../../../../src/stores/file/disk/guard-pool.ts";
import { placeOf } from "../../../../../src/stores/file/disk/place.ts";
import { openWorld } from "../../../../../src/stores/file/disk/world.ts";
import { parseLock } from "../../../../../src/stores/file/format/format.ts";
import { claimSteps } from "../../../../../src/stores/file/protocol/claim.ts";
import { Observations } from "../../../../../src/stores/file/protocol/examine.ts";
import type { Claim } from "../../../../../src/stores/file/protocol/line.ts";
import type { World } from "../../../../../src/stores/file/protocol/world.ts";
import { perform } from "../../../../../src/stores/steps.ts";
import { temporaryDirectory } from "../../../../helpers/directories.ts";
import { auditLog, deadPid, failure, owner, testStore } from "../../../../helpers/file/support.ts";
import { linuxTest } from "../../../../helpers/platform.ts";
import { eventually } from "../../../../helpers/waiting.ts";

const processes = openProcesses({ sharedFilesystem: false });

/** One claim on the real disk, some of whose steps turn out otherwise. */
function claimWith(directory: string, changes: (world: World) => Partial<World>) {
  const place = placeOf("k", join(directory, "k.lock"));
  const guards = new GuardPool();
  const world = openWorld({
    clock: systemClock,
    processes,
    guards,
    mode: 0o600,
    sync: false,
    shared: false,
    prepare: () => preparePlace(place),
  });
  const claim: Claim = {
    place,
    owner: owner("me"),
    note: null,
    slots: 1,
    resources: null,
    weight: 1,
    priority: 0,
    ttl: 60,
    deadAfter: 30_000,
    format: "sema",
    allowed: DEFAULT_RECLAIM,
    digest: "0".repeat(64),
    process: processes.self,
    holder: processes.self,
    rules: { staleTimeout: 3_600_000, staleRule: "both", hostname: processes.self.host },
    auditor: { user: "ann", pid: process.pid },
    observations: new Observations(),
    turns: new Observations(),
    newest: false,
    arrived: null,
    run: null,
    started: world.monotonic(),
    isReady: true,
    mayWait: false,
    ticket: null,
  };
  const granted = perform({ ...world, ...changes(world) }, claimSteps(claim)).finally(() =>
    guards.close(),
  );
  onTestFinished(async () => {
    const grant = await granted.catch(() => null);
    for (const { descriptor } of grant?.files ?? []) world.close(descriptor);
  });
  return granted;
}

const leftovers = (directory: string) =>
  readdirSync(directory).filter((name) => name.endsWith(".tmp"));

linuxTest("a lock appears whole, from a temporary file with the spec's name", async () => {
  const directory = temporaryDirectory();
  const store = await testStore(directory);
  const names = new Set<string>();
  const watcher = watch(directory, (_, name) => names.add(String(name)));
  onTestFinished(() => watcher.close());
  await (await store.claim({ key: "k", owner: owner("me") })).release();
  const spec = new RegExp(`^k\\.lock\\.${process.pid}\\.[0-9a-f]{16}\\.tmp$`);
  await eventually(
    () => [...names],
    (seen) => seen.some((name) => spec.test(name)),
  );
  expect(leftovers(directory)).toEqual([]);
});

describe("a filesystem without hard links", () => {
  test("the lock is created exclusively under its own name", async () => {
    const directory = temporaryDirectory();
    const grant = await claimWith(directory, () => ({ link: () => "unsupported" }));
    expect(parseLock(readFileSync(join(directory, "k.lock")))).toEqual({
      ...grant?.record,
      refreshedMonotonic: Math.round(grant?.record.refreshedMonotonic as number),
    });
    expect(leftovers(directory)).toEqual([]);
  });

  test("another tool that was first is not overwritten", async () => {
    const directory = temporaryDirectory();
    const lock = join(directory, "k.lock");
    const grant = await claimWith(directory, () => ({
      link: () => {
        writeFileSync(lock, "pid=1\ntimestamp=1\n");
        return "unsupported";
      },
    }));
    expect(grant).toBeNull();
    expect(readFileSync(lock, "utf8")).toBe("pid=1\ntimestamp=1\n");
    expect(leftovers(directory)).toEqual([]);
  });
});

test("another tool that was first by a moment keeps its lock", async () => {
  const directory = temporaryDirectory();
  const lock = join(directory, "k.lock");
  const grant = await claimWith(directory, (world) => ({
    link: (from, to) => {
      writeFileSync(lock, "pid=1\ntimestamp=1\n");
      return world.link(from, to);
    },
  }));
  expect(grant).toBeNull();
  expect(readFileSync(lock, "utf8")).toBe("pid=1\ntimestamp=1\n");
  expect(leftovers(directory)).toEqual([]);
});

test("a temporary file that is cleaned away is made again; for ever is an error", async () => {
  const directory = temporaryDirectory();
  let times = 0;
  const once = (world: World): Partial<World> => ({
    link: (from, to) => {
      times += 1;
      if (times === 1) world.remove(from);
      return world.link(from, to);
    },
  });
  expect(await claimWith(directory, once)).not.toBeNull();
  expect(times).toBe(2);
  const other = temporaryDirectory();
  const error = await failure(
    claimWith(other, () => ({ link: () => "source-gone" })),
    "STORE_UNREACHABLE",
  );
  expect(error.message).toContain("vanish as soon as they are made");
  expect(leftovers(other)).toEqual([]);
});

test("a disk that fills up after the lock appeared does not leave it behind", async () => {
  const directory = temporaryDirectory();
  const full = Object.assign(new Error("ENOSPC"), { code: "ENOSPC" });
  const claim = claimWith(directory, () => ({
    append: () => {
      throw full;
    },
  }));
  await expect(claim).rejects.toBe(full);
  expect(existsSync(join(directory, "k.lock"))).toBe(false);
  const store = await testStore(directory);
  await (await store.claim({ key: "k", owner: owner("next") }, { timeout: 0 })).release();
});

test("a reclaim is recorded before the lock is buried: a crash in between leaves the line", async () => {
  const directory = temporaryDirectory();
  const lock = join(directory, "k.lock");
  writeFileSync(lock, `pid=${await deadPid()}\ntimestamp=1\n`);
  const crash = new Error("the process ends here");
  const claim = claimWith(directory, () => ({
    rename: () => {
      throw crash;
    },
  }));
  await expect(claim).rejects.toBe(crash);
  expect(auditLog(directory).map(({ operation }) => operation)).toEqual(["reclaim"]);
  expect(existsSync(lock)).toBe(true);
});
