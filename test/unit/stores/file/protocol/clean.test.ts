import { linkSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryDirectory } from "../../../../helpers/directories.ts";
import {
  auditLog,
  bystander,
  deadPid,
  holder,
  owner,
  testStore,
} from "../../../../helpers/file/support.ts";
import { unixTest } from "../../../../helpers/platform.ts";
import { eventually } from "../../../../helpers/waiting.ts";

const claimant = owner("claimant");
const HOUR_MS = 3_600_000;

describe("clean", () => {
  test("removes what the dead left, and leaves the living and the young", async () => {
    const directory = temporaryDirectory();
    const store = await testStore(directory);
    const gone = await deadPid();
    const old = Math.floor((Date.now() - 2 * HOUR_MS) / 1_000);
    const living = await bystander();
    writeFileSync(join(directory, "stale.lock"), `pid=${gone}\ntimestamp=${old}\n`);
    writeFileSync(join(directory, "alive.lock"), `pid=${living.pid}\ntimestamp=${old}\n`);
    writeFileSync(join(directory, `x.lock.${gone}.abc.tmp`), "half");
    writeFileSync(join(directory, `x.lock.${living.pid}.abc.tmp`), "half");
    const killed = await holder(directory, { key: "killed" });
    await killed.kill("SIGKILL");

    const dry = await store.clean?.({ owner: "cleaner", dryRun: true });
    const done = await store.clean?.({ owner: "cleaner" });
    expect(done).toEqual(dry);
    expect(done?.failed).toEqual([]);
    expect(done?.removed.map(({ path }) => path).sort()).toEqual([
      join(directory, "killed.lock"),
      join(directory, "stale.lock"),
      join(directory, `x.lock.${gone}.abc.tmp`),
    ]);
    expect((await store.list()).map(({ key }) => key)).toEqual(["alive"]);
    expect(await store.clean?.({ owner: "cleaner" })).toEqual({ removed: [], failed: [] });
    const cleans = auditLog(directory).filter(({ operation }) => operation === "clean");
    expect(cleans.map(({ details }) => details.key).sort()).toEqual(["killed", "stale"]);
  });

  test("makes no side files of a key that has nothing to clean", async () => {
    const directory = temporaryDirectory();
    const store = await testStore(directory);
    const living = await bystander();
    writeFileSync(join(directory, "alive.lock"), `pid=${living.pid}\ntimestamp=1\n`);
    writeFileSync(join(directory, "stale.lock"), `pid=${await deadPid()}\ntimestamp=1\n`);
    writeFileSync(join(directory, `alive.lock.${living.pid}.abc.tmp`), "half");
    const { removed } = (await store.clean?.({ owner: "cleaner" })) ?? { removed: [] };
    expect(removed.map(({ path }) => path)).toEqual([join(directory, "stale.lock")]);
    expect(readdirSync(join(directory, ".holdfast"))).toEqual(["stale.lock"]);
  });

  test("removes the ticket of a waiter that was killed", async () => {
    const directory = temporaryDirectory();
    const store = await testStore(directory);
    const holding = await store.claim({ key: "k", owner: claimant });
    const waiting = holder(directory, { key: "k", owner: owner("impatient") });
    waiting.catch(() => {});
    const { waiters } = await eventually(
      () => store.inspect("k"),
      (status) => status.waiting === 1,
    );
    expect(waiters[0]?.owner).toBe("impatient");
    const side = join(directory, ".holdfast", "k.lock");
    const ticket = readdirSync(side).find((name) => name.endsWith(".ticket")) as string;
    const { pid } = JSON.parse(readFileSync(join(side, ticket), "utf8")).process;
    process.kill(pid, "SIGKILL");
    await eventually(
      () => store.inspect("k"),
      (status) => status.waiting === 0,
    );
    expect((await store.clean?.({ owner: "cleaner" }))?.removed).toMatchObject([
      { path: join(side, ticket), why: expect.stringContaining("impatient") },
    ]);
    await holding.release();
  });

  unixTest("links")(
    "removes what a crash left of making the guard, though it is a second name of it",
    async () => {
      const directory = temporaryDirectory();
      const store = await testStore(directory);
      await (await store.claim({ key: "k", owner: owner("me") })).release();
      const side = join(directory, ".holdfast/k.lock");
      // Above every pid_max: no process has it.
      const gone = `guard.${999_999_999}.abcdef.tmp`;
      linkSync(join(side, "guard"), join(side, gone));
      writeFileSync(join(side, `guard.${process.pid}.abcdef.tmp`), "");

      const { removed } = (await store.clean?.({ owner: "me" })) ?? { removed: [] };

      expect(removed.map(({ path }) => path)).toEqual([join(side, gone)]);
      expect(readdirSync(side).sort()).toEqual([
        "fence",
        "guard",
        `guard.${process.pid}.abcdef.tmp`,
      ]);
    },
  );
});
