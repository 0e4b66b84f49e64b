import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { until } from "../../helpers/waiting.ts";
import { gateStep } from "../runner/start-job.ts";
import { openScene } from "../scene.ts";

/**
 * pre claims while its keeper starts, hands the lock over and goes: whatever kills it in between, the
 * lock must be free afterwards. These moments are milliseconds apart, so many of them are tried.
 */
const MOMENTS_MS = Array.from({ length: 24 }, (_, index) => index * 5);

test("pre killed outright at any moment: the lock is free for the next", async () => {
  const scene = openScene();
  const results: (string | null)[] = [];
  for (const moment of MOMENTS_MS) {
    const job = scene.job({ steps: [scene.lock(), gateStep("deploy")] });
    const { pid } = await job.started("lock", "pre");
    await delay(moment);
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It was quicker.
    }
    // Then the job goes on as if nothing had happened.
    const gate = job.gate("deploy").then(
      (stands) => stands.open(),
      () => {},
    );
    const report = await job.finished;
    await gate;
    results.push(report.result);
    expect(report.stage("lock", "post").code).toBe(0);
    expect(report.annotations("error").join()).not.toMatch(/Internal error/);
    // A keeper may need a moment to release, whether it was told or finds its starter gone.
    await until(async () => (await scene.holders()).length === 0);
    expect((await scene.inspect()).waiting).toBe(0);
  }
  expect(results[0]).toBe("failure");
  // Whatever was left: the next job gets the lock at once, and tidies up.
  const next = await scene.job({ steps: [scene.lock({ timeout: "0" })] }).finished;
  expect(next.result).toBe("success");
  await scene.isTidy();
});
