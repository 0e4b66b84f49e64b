import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { spawnKeeper } from "../../../../src/keeper/client/spawn.ts";
import { claimThroughKeeper } from "../../../../src/keeper/client/start.ts";
import { readLeaseFile } from "../../../../src/keeper/lease-file.ts";
import { openStore } from "../../../../src/stores/open.ts";
import { isAlive, temporaryDirectory, until } from "../../../helpers/processes.ts";

const entry = fileURLToPath(new URL("../../../../dist/keeper/index.js", import.meta.url));

/** A keeper with nobody to watch, as in a container job. */
async function unwatched(more: { ttl?: number; refresh?: boolean } = {}) {
  const directory = temporaryDirectory();
  const leases = temporaryDirectory();
  const store = await openStore(join(directory, "locks"));
  const keeper = spawnKeeper({ entry, env: process.env, directory });
  const pid = keeper.child.pid as number;
  onTestFinished(async () => {
    if (isAlive(pid)) process.kill(pid, "SIGKILL");
    await until(() => !isAlive(pid));
    await store.close();
  });
  const leaseFile = join(leases, "k.json");
  const claim = {
    store: store.url,
    storeOptions: {},
    request: { key: "k", owner: { id: "me", metadata: {} }, ...more },
    timeout: 0,
    history: false,
    leaseFile,
    job: null,
    watched: null,
  };
  await claimThroughKeeper(keeper, store, claim, {});
  return { store, pid, leases, leaseFile };
}

describe("a keeper that has nobody to watch", () => {
  test("lets go when the job's directory was emptied, as a runner does before the next job", async () => {
    const { store, pid, leases, leaseFile } = await unwatched();
    expect(readLeaseFile(leaseFile)?.keeper.pid).toBe(pid);
    for (const name of readdirSync(leases)) rmSync(join(leases, name));
    await until(() => !isAlive(pid));
    expect((await store.inspect("k")).holders).toEqual([]);
    expect(readdirSync(leases).filter((name) => !name.endsWith(".log"))).toEqual([]);
  });

  test("holds as long as its lease is there", async () => {
    const { store, pid, leaseFile } = await unwatched();
    // Longer than it takes to look.
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(existsSync(leaseFile)).toBe(true);
    expect((await store.inspect("k")).holders).toMatchObject([{ pid, alive: true }]);
  });

  test("detached it has its ttl as the bound, not its lease file", async () => {
    const { store, pid, leaseFile } = await unwatched({ ttl: 10_000, refresh: false });
    rmSync(leaseFile);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect((await store.inspect("k")).holders).toMatchObject([{ pid, alive: true }]);
    await until(() => !isAlive(pid));
    expect((await store.inspect("k")).holders).toEqual([]);
  });
});
