import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writePast } from "../../helpers/cli/past.ts";
import { gateStep } from "../runner/start-job.ts";
import { KEY, openScene, ownerOf, type Scene } from "../scene.ts";

/** When is it my turn? What the stages say about the past and the future. */

const DEPLOYS = { workflow: "Deploy", job: "deploy", repository: "acme/shop" };

/** Yesterday this job took six minutes, and others of the same key took an hour. */
function openRemembering(): Scene {
  const scene = openScene();
  const locks = join(scene.directory, "locks");
  mkdirSync(locks);
  writePast(locks, KEY, [60, 60, 60], { workflow: "Migrate", job: "migrate" });
  writePast(locks, KEY, [5, 6, 7, 6, 5], DEPLOYS);
  return scene;
}

/** A job that holds the lock at a gate, and a second one in line behind it. */
async function contend(scene: Scene, inputs: Record<string, string> = {}) {
  const first = scene.job({ steps: [scene.lock(), gateStep("deploy")] });
  const gate = await first.gate("deploy");
  const second = scene.job({ steps: [scene.lock(inputs)] });
  const { line } = await second.logged("lock", /1st in line/);
  return { first, gate, second, line };
}

test("a job that waits is told when its turn comes, from the holds of the same job", async () => {
  const scene = openRemembering();
  const { first, gate, second, line } = await contend(scene);
  expect(line).toMatch(
    /^holdfast: waiting for production: 1st in line; your turn in about \d+ to \d+ min; held by Deploy of \S+ \(main at [0-9a-f]+, job deploy\), started by octocat \(ci-github-\S+\) for \d+m?s, usually 6m \(https:\S+\)$/,
  );
  gate.open();
  const report = await second.finished;
  expect(report.result).toBe("success");
  const { summary } = report.stage("lock", "post");
  expect(summary).toMatch(/\| Waited \| \S+ \(the first estimate was: in about \d to \d+ min\) \|/);
  // Nine holds are over by now: the eight of yesterday and the one that this job waited for.
  expect(summary).toMatch(/\| Usually held \| 6m.*, 90 % within 1h \(in 9 holds before\) \|/);
  const [, , run] = ownerOf(first).split("-");
  expect(summary).toMatch(/ by Deploy of acme\/shop main at [0-9a-f]+ job deploy .*:done,/);
  expect(summary).toMatch(
    new RegExp(`\\| \\[\`Deploy of .*\`\\]\\(https:.*/actions/runs/${run}\\) \\| \\d{4}-`),
  );
  // This job's own hold is a bar, and no row of the past.
  expect(summary).toMatch(/ {2}held :active, \d+, \d+\n/);
  const [, , own] = ownerOf(second).split("-");
  expect(summary).not.toMatch(new RegExp(`/actions/runs/${own}\\) \\| \\d{4}-`));
  await scene.isTidy();
});

test("the first job of a key has no past to show, and waits without a word about time", async () => {
  const scene = openScene();
  const { gate, second, line } = await contend(scene);
  expect(line).not.toMatch(/your turn|usually/);
  gate.open();
  const { summary } = (await second.finished).stage("lock", "post");
  // One hold says nothing about what is usual.
  expect(summary).not.toContain("Usually held");
  expect(summary).toContain("Held before by");
  await scene.isTidy();
});

test("history: off reads nothing, says nothing, and locks the same", async () => {
  const scene = openRemembering();
  const { gate, second, line } = await contend(scene, { history: "off" });
  expect(line).not.toMatch(/your turn|usually/);
  gate.open();
  const report = await second.finished;
  expect(report.result).toBe("success");
  expect(report.stage("lock", "post").summary).not.toMatch(/Usually held|Held before/);
  await scene.isTidy();
});

test("a log full of garbage is no history, and stops nobody", async () => {
  const scene = openScene();
  const locks = join(scene.directory, "locks");
  mkdirSync(join(locks, ".lock_audit.log"), { recursive: true });
  const { gate, second, line } = await contend(scene);
  expect(line).not.toMatch(/your turn/);
  gate.open();
  expect((await second.finished).result).toBe("success");
  expect(await scene.holders()).toEqual([]);
});
