import { expect, test } from "vitest";
import { until } from "../../helpers/waiting.ts";
import { idle, isHeldAlone, saysNothing, succeeds, verify } from "../jobs.ts";
import { openAt } from "../places.ts";
import { gateBeforeSteps, gateStep } from "../runner/start-job.ts";
import { openScene, ownerOf } from "../scene.ts";

/**
 * On the runners of Gitea and Forgejo a job has no process of its own, nothing sweeps up after it, and
 * post does not run where main did not: the keeper alone can notice that the job is over.
 */
const runner = "gitea";

const failing = { id: "test", run: [process.execPath, "-e", "process.exit(1)"] };

test("a whole job: post releases the lock, and the owner is named after the forge", async () => {
  const scene = openScene();
  const job = scene.job({ runner, steps: [scene.lock(), gateStep("deploy"), verify] });
  const gate = await job.gate("deploy");
  await isHeldAlone(scene, job);
  expect(ownerOf(job)).toMatch(/^ci-gitea-/);
  gate.open();
  saysNothing(await succeeds(job));
  await scene.isTidy();
});

test.each(["file", "tcp", "http"] as const)(
  "an earlier step fails, and the lock step never runs: the lock is free (%s)",
  async (place) => {
    const scene = await openAt(place);
    const job = scene.job({ runner, steps: [gateStep("build"), failing, scene.lock()] });
    const gate = await job.gate("build");
    await isHeldAlone(scene, job);
    gate.open();
    const report = await job.finished;
    expect(report.result).toBe("failure");
    expect(report.stages.map(({ step, stage }) => `${step} ${stage}`)).not.toContain("lock post");
    await until(async () => (await scene.holders()).length === 0);
    await scene.isTidy();
  },
);

test("the lock step's if is false: the lock is free", async () => {
  const scene = openScene();
  const job = scene.job({
    runner,
    steps: [gateStep("build"), scene.lock({}, { if: "false" }), idle("deploy")],
  });
  const gate = await job.gate("build");
  await isHeldAlone(scene, job);
  gate.open();
  expect((await job.finished).skipped).toContain("lock main");
  await scene.isTidy();
});

test("a cancel during another action's pre: the lock is free", async () => {
  const scene = openScene();
  const job = scene.job({
    runner,
    steps: [scene.lock(), gateBeforeSteps("pause"), idle("deploy")],
  });
  await job.gate("pause");
  await isHeldAlone(scene, job);
  job.cancel();
  expect((await job.finished).result).toBe("cancelled");
  await scene.isTidy();
});

test("the next job on the same runner gets the lock that a skipped post left", async () => {
  const scene = openScene();
  const first = scene.job({ runner, steps: [gateStep("build"), failing, scene.lock()] });
  const gate = await first.gate("build");
  const second = scene.job({ runner, steps: [scene.lock(), verify] });
  await second.logged("lock", /waiting for production/);
  gate.open();
  await first.finished;
  await succeeds(second);
  await scene.isTidy();
});

test("a step that empties RUNNER_TEMP does not free the lock, on this runner or on GitHub's", async () => {
  const empty = {
    id: "empty",
    run: ["/bin/sh", "-c", 'rm -rf "$RUNNER_TEMP"/holdfast "$RUNNER_TEMP"/_github_workflow'],
  };
  for (const kind of ["gitea", "github"] as const) {
    const scene = openScene();
    const job = scene.job({
      runner: kind,
      steps: [scene.lock(), empty, gateStep("deploy")],
    });
    const gate = await job.gate("deploy");
    // Longer than it takes the keeper to miss its lease file.
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    await isHeldAlone(scene, job);
    gate.open();
    const report = await job.finished;
    expect(report.result).toBe("success");
    expect(report.log("lock", "post")).toMatch(/released/);
    await scene.isTidy();
  }
});

test("the legs of a matrix are told apart", async () => {
  const scene = openScene();
  const legs = [0, 1].map((index) =>
    scene.job({
      runner,
      runId: "4711",
      leg: { matrix: { region: index }, index, total: 2 },
      steps: [scene.lock(), gateStep("deploy")],
    }),
  );
  expect(new Set(legs.map(ownerOf)).size).toBe(2);
  for (let turn = 0; turn < legs.length; turn++) {
    await until(async () => (await scene.holders()).length === 1);
    const [holder] = await scene.holders();
    const job = legs.find((leg) => ownerOf(leg) === holder);
    (await job?.gate("deploy"))?.open();
    await job?.finished;
  }
  await scene.isTidy();
});
