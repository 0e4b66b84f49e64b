import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { Progress } from "../../../src/lock/store.ts";
import { claimAll } from "../../../src/stores/several.ts";
import { temporaryDirectory } from "../../helpers/directories.ts";
import type { SeveralTask } from "../../helpers/file/several-worker.ts";
import { failure, holder, owner, testStore } from "../../helpers/file/support.ts";
import { start } from "../../helpers/processes.ts";

const WORKER = fileURLToPath(new URL("../../helpers/file/several-worker.ts", import.meta.url));

function requests(...keys: string[]) {
  return keys.map((key) => ({ key, owner: owner("several") }));
}

describe("several keys", () => {
  test("two processes with the keys in opposite order: no deadlock, no overlap", async () => {
    const directory = temporaryDirectory();
    const marks = join(directory, "marks");
    mkdirSync(marks);
    const tasks: SeveralTask[] = [
      { store: directory, name: "one", keys: ["a", "b"], rounds: 1_000, marks },
      { store: directory, name: "two", keys: ["b", "a"], rounds: 1_000, marks },
    ];
    const ends = await Promise.all(
      tasks.map((task) => start(process.execPath, [WORKER, JSON.stringify(task)]).ended),
    );
    expect(ends.map(({ stdout, stderr }) => [stdout, stderr])).toEqual([
      ["1000 rounds\n", ""],
      ["1000 rounds\n", ""],
    ]);
  }, 120_000);

  test("all are held together, doubles once, and the first as written is the lease", async () => {
    const store = await testStore(temporaryDirectory());
    const holding = await claimAll(store, requests("z", "a", "z", "m"));
    expect(holding.lease.key).toBe("z");
    expect(holding.leases.map(({ key }) => key)).toEqual(["z", "a", "m"]);
    expect(new Set(holding.leases.map(({ fence }) => fence)).size).toBe(3);
    await holding.renew();
    expect((await store.list()).map(({ key }) => key).sort()).toEqual(["a", "m", "z"]);
    expect(await holding.release()).toBe("released");
    expect(await store.list()).toEqual([]);
    expect(await holding.release()).toBe("already-gone");
  });

  test("one that is not to be had: none is held, and the sentence names it", async () => {
    const directory = temporaryDirectory();
    const store = await testStore(directory);
    const other = await holder(directory, { key: "b" });
    const progress: Progress[] = [];
    const waits = claimAll(store, requests("c", "b", "a"), {
      timeout: 300,
      onProgress: (news) => void progress.push(news),
    });
    const error = await failure(waits, "TIMEOUT");
    expect(error.message).toMatch(/^"b" was not acquired within .*held by holder of b/);
    expect(error.message).toContain("The 300ms are for all 3 keys. None of the 3 keys is held.");
    expect(progress.length).toBeGreaterThan(0);
    expect(new Set(progress.map(({ key }) => key))).toEqual(new Set(["b"]));
    expect((await store.list()).map(({ key }) => key)).toEqual(["b"]);
    // And at once, with nothing to wait for.
    await failure(claimAll(store, requests("a", "b"), { timeout: 0 }), "TIMEOUT");
    expect((await store.list()).map(({ key }) => key)).toEqual(["b"]);
    await other.release();
  });

  test("a bad key among them is told before any is claimed", async () => {
    const store = await testStore(temporaryDirectory());
    await failure(claimAll(store, requests("a", "")), "BAD_KEY");
    await failure(claimAll(store, []), "BAD_KEY");
    const many = Array.from({ length: 101 }, (_, index) => `k${index}`);
    await failure(claimAll(store, requests(...many)), "BAD_KEY");
    expect(await store.list({ all: true })).toEqual([]);
  });

  test("a cancelled claim leaves the line and releases what it had", async () => {
    const directory = temporaryDirectory();
    const store = await testStore(directory);
    const other = await holder(directory, { key: "b" });
    const cancel = new AbortController();
    const { signal } = cancel;
    const onProgress = () => cancel.abort();
    await failure(claimAll(store, requests("a", "b"), { signal, onProgress }), "ABORTED");
    const status = await store.inspect("b");
    expect([status.waiting, (await store.inspect("a")).holders]).toEqual([0, []]);
    await other.release();
  });

  test("a key that is broken while another is waited for is claimed anew", async () => {
    const directory = temporaryDirectory();
    const store = await testStore(directory);
    const operator = await testStore(directory);
    const other = await holder(directory, { key: "b" });
    const broken = Promise.withResolvers<void>();
    const told: string[] = [];
    let isBroken = false;
    const claim = claimAll(store, requests("a", "b"), {
      timeout: 60_000,
      onProgress: () => {
        if (isBroken) return;
        isBroken = true;
        void operator
          .break("a", { reason: "in the way", owner: "operator" })
          .then(() => broken.resolve(), broken.reject);
      },
      onTrouble: (sentence) => void told.push(sentence),
    });
    await broken.promise;
    await expect.poll(() => told, { timeout: 30_000 }).toHaveLength(1);
    expect(told[0]).toMatch(/"a" was lost.*in the way.*joining the line again/);
    await other.release();
    const holding = await claim;
    expect(await store.verify(holding.leases[0] as never)).toBe(true);
    expect(await store.verify(holding.leases[1] as never)).toBe(true);
    expect(await holding.release()).toBe("released");
  });

  test("losing one is losing all, and says which; the others are held until the release", async () => {
    const directory = temporaryDirectory();
    const store = await testStore(directory);
    const holding = await claimAll(store, requests("a", "b", "c"));
    const lost = Promise.withResolvers<void>();
    holding.lost.addEventListener("abort", () => lost.resolve());
    await store.break("b", { reason: "enough", owner: "operator" });
    await lost.promise;
    expect(holding.lost.reason.code).toBe("LOCK_LOST");
    expect(holding.lost.reason.message).toMatch(/"b" was lost.*enough.*"a", "c" count as lost/);
    expect((await store.list()).map(({ key }) => key).sort()).toEqual(["a", "c"]);
    await expect(holding.renew()).rejects.toThrow(/"b" was lost/);
    expect(await holding.releaseEach()).toEqual([
      { key: "a", outcome: "released" },
      { key: "b", outcome: "already-gone" },
      { key: "c", outcome: "released" },
    ]);
    expect(await store.list()).toEqual([]);
  });

  test("slots are those of every key", async () => {
    const store = await testStore(temporaryDirectory());
    const two = () => requests("a", "b").map((request) => ({ ...request, slots: 2 }));
    const [one, other] = await Promise.all([claimAll(store, two()), claimAll(store, two())]);
    await failure(claimAll(store, two(), { timeout: 0 }), "TIMEOUT");
    await failure(claimAll(store, requests("b", "c"), { timeout: 0 }), "SLOTS_MISMATCH");
    expect((await store.list()).map(({ key }) => key).sort()).toEqual(["a", "b"]);
    for (const holding of [one, other]) await holding.release();
  });
});
