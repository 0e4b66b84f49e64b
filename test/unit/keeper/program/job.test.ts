import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { releaseLease } from "../../../../src/keeper/client/release.ts";
import { spawnKeeper } from "../../../../src/keeper/client/spawn.ts";
import { claimThroughKeeper } from "../../../../src/keeper/client/start.ts";
import { readLeaseFile } from "../../../../src/keeper/lease-file.ts";
import type { KeeperClaim } from "../../../../src/keeper/protocol.ts";
import { openProcesses } from "../../../../src/machine/processes.ts";
import { openStore } from "../../../../src/stores/open.ts";
import { temporaryDirectory } from "../../../helpers/directories.ts";
import { isAlive } from "../../../helpers/processes.ts";
import { until } from "../../../helpers/waiting.ts";

const entry = fileURLToPath(new URL("../../../../dist/keeper/index.js", import.meta.url));

interface More {
  readonly ttl?: number;
  readonly refresh?: boolean;
  readonly signs?: Partial<Pick<KeeperClaim, "watched" | "jobDirectory">>;
  /** The directory of the lease file. */
  readonly leases?: string;
}

/** A keeper that holds a lock, by default with nobody to watch. */
async function kept({ signs, leases = temporaryDirectory(), ...request }: More = {}) {
  const directory = temporaryDirectory();
  const store = await openStore(join(directory, "locks"));
  const keeper = spawnKeeper({ entry, env: process.env, directory });
  const pid = keeper.child.pid as number;
  onTestFinished(async () => {
    if (isAlive(pid)) process.kill(pid, "SIGKILL");
    await until(() => !isAlive(pid));
    await store.close();
  });
  const leaseFile = join(leases, "k-0123456789ab.json");
  const claim = {
    store: store.url,
    storeOptions: {},
    request: { key: "k", owner: { id: "me", metadata: {} }, ...request },
    timeout: 0,
    history: false,
    leaseFile,
    job: null,
    watched: null,
    jobDirectory: null,
    ...signs,
  };
  await claimThroughKeeper(keeper, store, claim, {});
  return { store, pid, leases, leaseFile };
}

describe("a keeper that has nobody to watch", () => {
  test("releases when the job's directory was emptied, as a runner does before the next job", async () => {
    const { store, pid, leases, leaseFile } = await kept();
    expect(readLeaseFile(leaseFile)?.keeper?.pid).toBe(pid);
    for (const name of readdirSync(leases)) rmSync(join(leases, name));
    await until(() => !isAlive(pid));
    expect((await store.inspect("k")).holders).toEqual([]);
    expect(readdirSync(leases).filter((name) => !name.endsWith(".log"))).toEqual([]);
  });

  test("holds as long as its lease is there", async () => {
    const { store, pid, leaseFile } = await kept();
    // Longer than it takes to look.
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(existsSync(leaseFile)).toBe(true);
    expect((await store.inspect("k")).holders).toMatchObject([{ pid, alive: true }]);
  });

  test("detached it has its ttl as the bound, not its lease file", async () => {
    const { store, pid, leaseFile } = await kept({ ttl: 10_000, refresh: false });
    rmSync(leaseFile);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect((await store.inspect("k")).holders).toMatchObject([{ pid, alive: true }]);
    await until(() => !isAlive(pid));
    expect((await store.inspect("k")).holders).toEqual([]);
  });
});

/** A runner whose process outlives its jobs, and a job of it; this process is the runner's. */
async function keptOnDaemon() {
  const jobDirectory = join(temporaryDirectory(), "job");
  const leases = join(jobDirectory, "holdfast");
  mkdirSync(leases, { recursive: true, mode: 0o700 });
  const watched = openProcesses({ sharedFilesystem: false }).self;
  return { jobDirectory, ...(await kept({ signs: { watched, jobDirectory }, leases })) };
}

describe("a keeper whose watched process outlives the job", () => {
  test("releases when the job's directory is removed", async () => {
    const { store, pid, jobDirectory } = await keptOnDaemon();
    rmSync(jobDirectory, { recursive: true });
    await until(() => !isAlive(pid));
    expect((await store.inspect("k")).holders).toEqual([]);
    expect(existsSync(jobDirectory)).toBe(false);
  });

  test("holds on when a step empties the job's directory, and can be asked to release", async () => {
    const { store, pid, jobDirectory, leaseFile } = await keptOnDaemon();
    for (const name of readdirSync(jobDirectory))
      rmSync(join(jobDirectory, name), { recursive: true });
    await until(() => existsSync(leaseFile));
    expect((await store.inspect("k")).holders).toMatchObject([{ pid, alive: true }]);
    expect(await releaseLease(leaseFile)).toEqual({ outcome: "released", log: [] });
    await until(() => !isAlive(pid));
    expect(readdirSync(join(jobDirectory, "holdfast"))).toEqual([]);
  });
});

/** A job in a container on GitHub's runner: its worker cannot be seen, and each job has its event file. */
async function keptInContainer() {
  const jobDirectory = temporaryDirectory();
  const leases = join(jobDirectory, "holdfast");
  mkdirSync(leases, { mode: 0o700 });
  const begin = () => {
    for (const name of readdirSync(jobDirectory).filter((name) => name !== "holdfast"))
      rmSync(join(jobDirectory, name), { recursive: true });
    mkdirSync(join(jobDirectory, "_github_workflow"));
    writeFileSync(join(jobDirectory, "_github_workflow/event.json"), "{}");
  };
  begin();
  return { jobDirectory, begin, ...(await kept({ signs: { jobDirectory }, leases })) };
}

describe("a keeper of a container job", () => {
  test("holds on when a step empties the job's directory", async () => {
    const { store, pid, jobDirectory, leaseFile } = await keptInContainer();
    for (const name of readdirSync(jobDirectory))
      rmSync(join(jobDirectory, name), { recursive: true });
    await until(() => existsSync(leaseFile));
    expect((await store.inspect("k")).holders).toMatchObject([{ pid, alive: true }]);
  });

  test("releases when the runner begins its next job there", async () => {
    const { store, pid, begin } = await keptInContainer();
    begin();
    await until(() => !isAlive(pid));
    expect((await store.inspect("k")).holders).toEqual([]);
  });
});
