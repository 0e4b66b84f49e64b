import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryDirectory } from "../helpers/directories.ts";
import { deadPid, failure, holder, owner, rewrite, testStore } from "../helpers/file/support.ts";
import { isThere } from "../helpers/needs.ts";
import { start } from "../helpers/processes.ts";
import { eventually } from "../helpers/waiting.ts";

/**
 * The TypeScript file semaphore itself, beside Holdfast on the same lock files. Runs where SEMATS_CLI
 * names its entry, such as file-based-semaphore-ts/src/index.ts.
 */
const CLI = process.env.SEMATS_CLI ?? "";

interface Answer {
  code: number;
  output: string;
}

async function semats(...words: string[]): Promise<Answer> {
  const { code, stdout, stderr } = await start(process.execPath, [CLI, ...words, "--json"]).ended;
  return { code: Number(code), output: stdout + stderr };
}

describe.skipIf(!isThere("semats", CLI !== ""))("semats beside Holdfast", () => {
  test("sees our lock, does not take it, release or clean it, and gets in after us", async () => {
    const lock = join(temporaryDirectory(), "k.lock");
    const ours = await holder(lock, { key: "k", note: "deploy v1" });
    const status = JSON.parse((await semats("status", lock)).output);
    expect(status).toMatchObject({
      locked: true,
      isStale: false,
      info: { pid: ours.pid, tag: "deploy v1" },
    });
    expect(await semats("try-acquire", lock)).toMatchObject({
      code: 1,
      output: expect.stringContaining("ALREADY_LOCKED"),
    });
    expect(await semats("release", lock)).toMatchObject({
      code: 1,
      output: expect.stringContaining("PERMISSION_DENIED"),
    });
    expect((await semats("clean", lock)).code).toBe(0);
    const acquiring = semats("acquire", lock, "--timeout", "30000");
    expect(await ours.release()).toBe("released");
    expect((await acquiring).code).toBe(0);
    expect(readFileSync(lock, "utf8")).toMatch(/^pid=\d+\ntimestamp=\d+\n/);
  });

  test("its lock keeps us out until it is released, and then we get in at once", async () => {
    const lock = join(temporaryDirectory(), "k.lock");
    const store = await testStore(lock);
    expect((await semats("try-acquire", lock, "--tag", "npm build")).code).toBe(0);
    const pid = Number(/^pid=(\d+)$/m.exec(readFileSync(lock, "utf8"))?.[1]);
    expect((await store.inspect("k")).holders).toMatchObject([{ pid, note: "npm build" }]);
    await failure(store.claim({ key: "k", owner: owner("us") }, { timeout: 0 }), "TIMEOUT");
    const waiting = store.claim({ key: "k", owner: owner("us") });
    await eventually(
      () => store.inspect("k"),
      (status) => status.waiting === 1,
    );
    expect((await semats("release", lock, "--force")).code).toBe(0);
    const holding = await waiting;
    expect(holding.reclaimed).toBeUndefined();
    await holding.release();
  });

  test("takes our lock by force: we are told", async () => {
    const lock = join(temporaryDirectory(), "k.lock");
    const ours = await holder(lock, { key: "k", deadAfter: 3_000 });
    expect((await semats("release", lock, "--force")).code).toBe(0);
    expect(await ours.lost).toContain("its lock file is gone");
  });

  test("both judge a stale lock alike: old and its process gone", async () => {
    const lock = join(temporaryDirectory(), "k.lock");
    const old = Math.floor(Date.now() / 1_000) - 4_000;
    const content = `pid=${await deadPid()}\ntimestamp=${old}\n`;
    writeFileSync(lock, content);
    expect((await semats("try-acquire", lock)).code).toBe(0);
    writeFileSync(lock, content);
    const store = await testStore(lock);
    const holding = await store.claim({ key: "k", owner: owner("us") }, { timeout: 0 });
    expect(holding.reclaimed?.reason).toBe("HOLDER_DEAD");
    await holding.release();
  });

  test("takes what a killed Holdfast left, once it is old", async () => {
    const lock = join(temporaryDirectory(), "k.lock");
    const ours = await holder(lock, { key: "k" });
    await ours.kill("SIGKILL");
    expect((await semats("try-acquire", lock)).code).toBe(1);
    rewrite(lock, { timestamp: Math.floor(Date.now() / 1_000) - 4_000 });
    expect((await semats("try-acquire", lock)).code).toBe(0);
  });

  test("leaves a run's lock alone, whose process has ended, until it is over", async () => {
    const lock = join(temporaryDirectory(), "k.lock");
    const run = { id: "forge.example/acme/shop/runs/1/attempts/1", forge: null };
    const ours = await holder(lock, { key: "k", run, ttl: 5 * 3_600_000 });
    await ours.kill("SIGKILL");
    const status = JSON.parse((await semats("status", lock)).output);
    expect(status).toMatchObject({ locked: true, isStale: false, info: { pid: ours.pid } });
    expect((await semats("clean", lock)).code).toBe(0);
    expect((await semats("try-acquire", lock)).code).toBe(1);
  });

  test("cannot see a JSON lock, and its release deletes it: documented, and we are told", async () => {
    const lock = join(temporaryDirectory(), "k.lock");
    const ours = await holder(
      lock,
      { key: "k", deadAfter: 3_000 },
      { options: { format: "json" } },
    );
    expect(JSON.parse((await semats("status", lock)).output)).toMatchObject({ locked: false });
    expect((await semats("try-acquire", lock)).code).toBe(1);
    expect((await semats("release", lock)).code).toBe(0);
    expect(existsSync(lock)).toBe(false);
    expect(await ours.lost).toContain("its lock file is gone");
  });
});
