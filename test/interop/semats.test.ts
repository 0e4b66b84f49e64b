import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { temporaryDirectory } from "../helpers/directories.ts";
import { deadPid, failure, holder, owner, rewrite, testStore } from "../helpers/file/support.ts";
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

function start(...words: string[]): Promise<Answer> {
  const child = spawn(process.execPath, [CLI, ...words, "--json"], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => {
      output += chunk;
    });
  return once(child, "close").then(([code]) => ({ code: Number(code), output }));
}

describe.skipIf(CLI === "")("semats beside Holdfast", () => {
  test("sees our lock, does not take it, release or clean it, and gets in after us", async () => {
    const lock = join(temporaryDirectory(), "k.lock");
    const ours = await holder(lock, { key: "k", note: "deploy v1" });
    const status = JSON.parse((await start("status", lock)).output);
    expect(status).toMatchObject({
      locked: true,
      isStale: false,
      info: { pid: ours.pid, tag: "deploy v1" },
    });
    expect(await start("try-acquire", lock)).toMatchObject({
      code: 1,
      output: expect.stringContaining("ALREADY_LOCKED"),
    });
    expect(await start("release", lock)).toMatchObject({
      code: 1,
      output: expect.stringContaining("PERMISSION_DENIED"),
    });
    expect((await start("clean", lock)).code).toBe(0);
    const acquiring = start("acquire", lock, "--timeout", "30000");
    expect(await ours.release()).toBe("released");
    expect((await acquiring).code).toBe(0);
    expect(readFileSync(lock, "utf8")).toMatch(/^pid=\d+\ntimestamp=\d+\n/);
  });

  test("its lock keeps us out until it is released, and then we get in at once", async () => {
    const lock = join(temporaryDirectory(), "k.lock");
    const store = await testStore(lock);
    expect((await start("try-acquire", lock, "--tag", "npm build")).code).toBe(0);
    const pid = Number(/^pid=(\d+)$/m.exec(readFileSync(lock, "utf8"))?.[1]);
    expect((await store.inspect("k")).holders).toMatchObject([{ pid, note: "npm build" }]);
    await failure(store.claim({ key: "k", owner: owner("us") }, { timeout: 0 }), "TIMEOUT");
    const waiting = store.claim({ key: "k", owner: owner("us") });
    await eventually(
      () => store.inspect("k"),
      (status) => status.waiting === 1,
    );
    expect((await start("release", lock, "--force")).code).toBe(0);
    const holding = await waiting;
    expect(holding.reclaimed).toBeUndefined();
    await holding.release();
  });

  test("takes our lock by force: we are told", async () => {
    const lock = join(temporaryDirectory(), "k.lock");
    const ours = await holder(lock, { key: "k", deadAfter: 3_000 });
    expect((await start("release", lock, "--force")).code).toBe(0);
    expect(await ours.lost).toContain("its lock file is gone");
  });

  test("both judge a stale lock alike: old and its process gone", async () => {
    const lock = join(temporaryDirectory(), "k.lock");
    const old = Math.floor(Date.now() / 1_000) - 4_000;
    const content = `pid=${await deadPid()}\ntimestamp=${old}\n`;
    writeFileSync(lock, content);
    expect((await start("try-acquire", lock)).code).toBe(0);
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
    expect((await start("try-acquire", lock)).code).toBe(1);
    rewrite(lock, { timestamp: Math.floor(Date.now() / 1_000) - 4_000 });
    expect((await start("try-acquire", lock)).code).toBe(0);
  });

  test("cannot see a JSON lock, and its release deletes it: documented, and we are told", async () => {
    const lock = join(temporaryDirectory(), "k.lock");
    const ours = await holder(
      lock,
      { key: "k", deadAfter: 3_000 },
      { options: { format: "json" } },
    );
    expect(JSON.parse((await start("status", lock)).output)).toMatchObject({ locked: false });
    expect((await start("try-acquire", lock)).code).toBe(1);
    expect((await start("release", lock)).code).toBe(0);
    expect(existsSync(lock)).toBe(false);
    expect(await ours.lost).toContain("its lock file is gone");
  });
});
