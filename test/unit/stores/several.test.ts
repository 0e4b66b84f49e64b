import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { claimAll } from "../../../src/stores/several.ts";
import { Worker } from "../../contract/scene/workers.ts";
import { temporaryDirectory } from "../../helpers/directories.ts";
import { failure, owner, testStore } from "../../helpers/file/support.ts";
import { check } from "../../history/checker.ts";
import { readHistory } from "../../history/event.ts";

/** What every store promises of several keys is in test/contract/promises/holding/several.ts. */
describe("several keys", () => {
  test("1,000 rounds of two processes with the keys in opposite order: no deadlock, no overlap", async () => {
    const rounds = 1_000;
    const directory = temporaryDirectory();
    const history = join(directory, "history.jsonl");
    const url = `file:${join(directory, "locks")}`;
    const place = { url, options: { fsync: false }, env: {}, history, opener: "" };
    const workers = await Promise.all([Worker.start(place), Worker.start(place)]);
    const [one, two] = workers;
    onTestFinished(async () => void (await Promise.all(workers.map((worker) => worker.kill()))));
    const done = await Promise.all([
      one.tell("together", { name: "one", keys: ["a", "b"], rounds }),
      two.tell("together", { name: "two", keys: ["b", "a"], rounds }),
    ]);
    expect(done).toEqual([rounds, rounds]);
    for (const worker of workers) expect((await worker.finish()).code).toBe(0);
    const verdict = check(readHistory(history), { tellWithin: 0 });
    expect(verdict).toMatchObject({ faults: [], unknown: [], grants: 4 * rounds });
  });

  test("no key at all, or more than 100, is refused before any is claimed", async () => {
    const store = await testStore(temporaryDirectory());
    await failure(claimAll(store, []), "BAD_KEY");
    const many = Array.from({ length: 101 }, (_, index) => `k${index}`);
    const requests = many.map((key) => ({ key, owner: owner("several") }));
    await failure(claimAll(store, requests), "BAD_KEY");
    expect(await store.list({ all: true })).toEqual([]);
  });
});
