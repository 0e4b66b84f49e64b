import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { until } from "../helpers/processes.ts";
import { gateStep, type JobRun } from "./runner/start-job.ts";
import { openScene, type Scene } from "./scene.ts";

/**
 * pre claims while its keeper starts, hands the lock over and goes: whatever ends it in between, the
 * lock must be free afterwards. These moments are milliseconds apart, so many of them are tried.
 */
const MOMENTS_MS = Array.from({ length: 24 }, (_, index) => index * 5);

async function endedAt(scene: Scene, moment: number, end: (job: JobRun, pid: number) => void) {
  const job = scene.job({ steps: [scene.lock(), gateStep("deploy")] });
  const { pid } = await job.started("lock", "pre");
  await delay(moment);
  end(job, pid);
  // Where pre was quicker than its end, the job goes on as if nothing had happened.
  const gate = job.gate("deploy").then(
    (stands) => stands.open(),
    () => {},
  );
  const report = await job.finished;
  await gate;
  expect(report.annotations("error").join()).not.toMatch(/Internal error/);
  // A keeper that was just told, or was not, may need a moment to let go.
  await until(async () => (await scene.holders()).length === 0);
  expect((await scene.inspect()).waiting).toBe(0);
  return report;
}

/** Whatever was left: the next job gets the lock at once, and tidies up. */
async function nextGetsIt(scene: Scene) {
  const next = await scene.job({ steps: [scene.lock({ timeout: "0" })] }).finished;
  expect(next.result).toBe("success");
  await scene.isTidy();
}

test("pre killed outright at any moment: the lock is free for the next", async () => {
  const scene = openScene();
  const results: (string | null)[] = [];
  for (const moment of MOMENTS_MS) {
    const report = await endedAt(scene, moment, (_, pid) => {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It was quicker.
      }
    });
    results.push(report.result);
  }
  expect(results[0]).toBe("failure");
  await nextGetsIt(scene);
});

test("cancelled at any moment: the lock is free for the next", async () => {
  const scene = openScene();
  for (const moment of MOMENTS_MS) {
    const report = await endedAt(scene, moment, (job) => job.cancel());
    expect(report.result).toBe("cancelled");
  }
  await nextGetsIt(scene);
});
