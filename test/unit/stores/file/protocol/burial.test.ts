import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../../../../src/lock/time.ts";
import { openProcesses } from "../../../../../src/machine/processes.ts";
import { preparePlace } from "../../../../../src/stores/file/disk/directory.ts";
import { GuardPool } from "../../../../../src/stores/file/disk/guard-pool.ts";
import { placeOf } from "../../../../../src/stores/file/disk/place.ts";
import { openWorld } from "../../../../../src/stores/file/disk/world.ts";
import { breakSteps } from "../../../../../src/stores/file/protocol/end/break.ts";
import type { World } from "../../../../../src/stores/file/protocol/world.ts";
import { perform } from "../../../../../src/stores/steps.ts";
import { temporaryDirectory } from "../../../../helpers/directories.ts";
import { bystander, failure, holder, owner, testStore } from "../../../../helpers/file/support.ts";

const now = () => Math.floor(Date.now() / 1_000);

/** The real world, and a way to meddle with it between two steps, as a tool without a guard can. */
function meddle(directory: string, changes: (world: World) => Partial<World>) {
  const place = placeOf("k", join(directory, "k.lock"));
  const guards = new GuardPool();
  const processes = openProcesses({ sharedFilesystem: false });
  const world = openWorld({
    clock: systemClock,
    processes,
    guards,
    mode: null,
    sync: false,
    shared: false,
    prepare: () => preparePlace(place),
  });
  const rules = { staleTimeout: 1_000, staleRule: "both", hostname: processes.self.host } as const;
  const steps = breakSteps(
    place,
    rules,
    { user: "ann", pid: process.pid },
    { reason: "x", owner: "me" },
  );
  return perform({ ...world, ...changes(world) }, steps).finally(() => guards.close());
}

describe.each(["linked", "unsupported"] as const)("where link is %s", (linking) => {
  const link: Partial<World> = linking === "linked" ? {} : { link: () => "unsupported" };

  test("a lock that a foreign tool put there after it was judged is not removed", async () => {
    const directory = temporaryDirectory();
    const lock = join(directory, "k.lock");
    const theirs = `pid=${process.pid}\ntimestamp=${now()}\ntag=theirs\n`;
    writeFileSync(lock, "pid=1\ntimestamp=1\n");
    let meddled = false;
    const broken = await meddle(directory, (world) => ({
      ...link,
      rename: (from, to) => {
        if (!meddled) {
          meddled = true;
          writeFileSync(`${lock}.new`, theirs);
          renameSync(`${lock}.new`, lock);
        }
        return world.rename(from, to);
      },
    }));
    expect(meddled).toBe(true);
    expect(broken).toEqual({ broken: [] });
    expect(readFileSync(lock, "utf8")).toBe(theirs);
    expect(readdirSync(join(directory, ".holdfast", "k.lock"))).not.toContain("slot0.grave");
  });
});

describe("a burial that a crash interrupted", () => {
  test("a living lock in the grave is put back by whoever comes next", async () => {
    const directory = temporaryDirectory();
    const store = await testStore(directory);
    await (await store.claim({ key: "k", owner: owner("first") })).release();
    const theirs = await bystander();
    const grave = join(directory, ".holdfast", "k.lock", "slot0.grave");
    writeFileSync(grave, `pid=${theirs.pid}\ntimestamp=${now()}\n`);
    await failure(store.claim({ key: "k", owner: owner("next") }, { timeout: 0 }), "TIMEOUT");
    expect(existsSync(grave)).toBe(false);
    expect(readFileSync(join(directory, "k.lock"), "utf8")).toContain(`pid=${theirs.pid}\n`);
  });

  test("a living lock in the grave does not push aside one that is there", async () => {
    const directory = temporaryDirectory();
    const store = await testStore(directory);
    const ours = await holder(directory, { key: "k", owner: owner("ours") });
    const grave = join(directory, ".holdfast", "k.lock", "slot0.grave");
    writeFileSync(grave, `pid=${process.pid}\ntimestamp=${now()}\n`);
    await failure(store.claim({ key: "k", owner: owner("next") }, { timeout: 0 }), "TIMEOUT");
    expect(existsSync(grave)).toBe(false);
    expect((await store.inspect("k")).holders[0]?.owner).toBe("ours");
    expect(await ours.release()).toBe("released");
  });

  test("a dead one is gone for good", async () => {
    const directory = temporaryDirectory();
    const store = await testStore(directory);
    const dead = await holder(directory, { key: "k" });
    await dead.kill("SIGKILL");
    const grave = join(directory, ".holdfast", "k.lock", "slot0.grave");
    renameSync(join(directory, "k.lock"), grave);
    const next = await store.claim({ key: "k", owner: owner("next") }, { timeout: 0 });
    expect(next.reclaimed).toBeUndefined();
    expect(next.lease.fence).toBeGreaterThan(dead.lease.fence as number);
    expect(existsSync(grave)).toBe(false);
    await next.release();
  });
});
