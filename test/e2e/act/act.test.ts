import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { openStore } from "../../../src/stores/open.ts";
import { temporaryDirectory } from "../../helpers/directories.ts";
import { isThere } from "../../helpers/needs.ts";
import { strayFiles } from "../scene.ts";
import { type ActRun, buildAct, runWorkflow, whyNoAct } from "./act.ts";

/** Real workflow files, run by a runner that is not ours. */

const BUILD_MS = 900_000;
const reason = whyNoAct();

describe.skipIf(!isThere("act", reason === null))(
  `act${reason === null ? "" : ` (${reason})`}`,
  () => {
    beforeAll(buildAct, BUILD_MS);

    /** The lock is free, no process is left, no file but what a store keeps. */
    async function isTidy(directory: string, run: ActRun): Promise<void> {
      await expect.poll(run.left, { timeout: 20_000 }).toEqual([]);
      const store = await openStore(join(directory, "locks"));
      expect(await store.inspect("production")).toMatchObject({ holders: [], waiting: 0 });
      await store.close();
      expect(strayFiles(join(directory, "locks"), ["production"])).toEqual([]);
    }

    test("one job: pre claims the lock, the steps have it, post releases it", async () => {
      const directory = temporaryDirectory();
      const run = await runWorkflow("one-job.yml", directory);
      expect(run.code, run.log).toBe(0);
      expect(run.journal).toEqual(["held ci-github-1-1-deploy production"]);
      expect(run.log).toMatch(/Run Pre holdfast[\s\S]*Run Main holdfast[\s\S]*Run Post holdfast/);
      expect(run.log).toMatch(/production released/);
      await isTidy(directory, run);
    });

    test("two jobs: one after the other", async () => {
      const directory = temporaryDirectory();
      const run = await runWorkflow("two-jobs.yml", directory);
      expect(run.code, run.log).toBe(0);
      const first = ["enter first", "leave first"];
      const second = ["enter second", "leave second"];
      expect([
        [...first, ...second],
        [...second, ...first],
      ]).toContainEqual(run.journal);
      await isTidy(directory, run);
    });

    // act numbers no legs, so both get the same owner id: they must exclude each other all the same.
    test("the legs of a matrix: one after the other", async () => {
      const directory = temporaryDirectory();
      const run = await runWorkflow("matrix.yml", directory);
      expect(run.code, run.log).toBe(0);
      const eu = ["enter eu", "leave eu"];
      const us = ["enter us", "leave us"];
      expect([
        [...eu, ...us],
        [...us, ...eu],
      ]).toContainEqual(run.journal);
      await isTidy(directory, run);
    });

    test("a failing job: post releases all the same", async () => {
      const directory = temporaryDirectory();
      const run = await runWorkflow("failing-job.yml", directory);
      expect(run.code).toBe(1);
      expect(run.journal).toEqual(["tried"]);
      expect(run.log).toMatch(/production released/);
      await isTidy(directory, run);
    });

    test("required: false: the job goes on without the lock", async () => {
      const directory = temporaryDirectory();
      const store = await openStore(join(directory, "locks"));
      const owner = { id: "somebody-else", metadata: {} };
      const holding = await store.claim({ key: "production", owner });
      const run = await runWorkflow("not-required.yml", directory);
      expect(run.code, run.log).toBe(0);
      expect(run.journal).toEqual(["skipped, fence ''"]);
      expect(run.log).toContain("somebody-else");
      expect((await store.inspect("production")).holders).toMatchObject([
        { owner: "somebody-else" },
      ]);
      expect(await holding.release()).toBe("released");
      await store.close();
      await isTidy(directory, run);
    });
  },
);
