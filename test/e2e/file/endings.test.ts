import { expect, test } from "vitest";
import { gateStep, type JobRun } from "../runner/start-job.ts";
import { KEY, openScene, ownerOf } from "../scene.ts";

/** Every way in which a job can end while its runner lives. */

/** Resolves once the job's claim stands in line. */
const waits = (job: JobRun) => job.logged("lock", /waiting for production/);

test("success: held from pre to post, then free", async () => {
  const scene = openScene();
  const job = scene.job({ steps: [scene.lock(), gateStep("deploy")] });
  const gate = await job.gate("deploy");
  expect(await scene.holders()).toEqual([ownerOf(job)]);
  gate.open();
  const report = await job.finished;
  expect(report.result).toBe("success");
  expect(report.annotations("error")).toEqual([]);
  expect(report.annotations("warning")).toEqual([]);
  await scene.isTidy();
});

test("a failing step: the lock is let go all the same", async () => {
  const scene = openScene();
  const job = scene.job({ steps: [scene.lock(), gateStep("deploy", { code: 7 })] });
  (await job.gate("deploy")).open();
  const report = await job.finished;
  expect(report.result).toBe("failure");
  expect(report.stage("deploy").code).toBe(7);
  expect(report.stage("lock", "post").code).toBe(0);
  await scene.isTidy();
});

test("two jobs: the second waits for the first and is handed the lock", async () => {
  const scene = openScene();
  const first = scene.job({ steps: [scene.lock(), gateStep("deploy")] });
  const gate = await first.gate("deploy");
  const second = scene.job({ steps: [scene.lock(), gateStep("deploy")] });
  await waits(second);
  expect(await scene.holders()).toEqual([ownerOf(first)]);
  gate.open();
  const next = await second.gate("deploy");
  expect(await scene.holders()).toEqual([ownerOf(second)]);
  next.open();
  for (const job of [first, second]) expect((await job.finished).result).toBe("success");
  await scene.isTidy();
});

test("cancel while waiting: the line is left, and the holder keeps its lock", async () => {
  const scene = openScene();
  const holder = scene.job({ steps: [scene.lock(), gateStep("deploy")] });
  const gate = await holder.gate("deploy");
  const waiter = scene.job({ steps: [scene.lock(), gateStep("deploy")] });
  await waits(waiter);
  waiter.cancel();
  const report = await waiter.finished;
  expect(report.result).toBe("cancelled");
  expect(report.stage("lock", "pre").result).toBe("cancelled");
  // SIGINT was enough: nothing had to be terminated or killed.
  expect(waiter.events.filter(({ event }) => event === "signal")).toHaveLength(1);
  expect(report.stage("lock", "post").code).toBe(0);
  expect(report.annotations("error")).toEqual([]);
  expect(await scene.inspect()).toMatchObject({
    waiting: 0,
    holders: [{ owner: ownerOf(holder) }],
  });
  gate.open();
  expect((await holder.finished).result).toBe("success");
  await scene.isTidy();
});

test("cancel while held: the step is stopped, post lets go", async () => {
  const scene = openScene();
  const job = scene.job({ steps: [scene.lock(), gateStep("deploy"), gateStep("after")] });
  await job.gate("deploy");
  job.cancel();
  const report = await job.finished;
  expect(report.result).toBe("cancelled");
  expect(report.stage("deploy").signal).toBe("SIGINT");
  expect(report.stage("lock", "post")).toMatchObject({ code: 0, result: "success" });
  await scene.isTidy();
});

test("cancel during main: post lets go", async () => {
  const scene = openScene();
  const report = await scene.job({
    steps: [scene.lock(), gateStep("deploy")],
    cancelAt: { step: "lock", stage: "main", after: 0 },
  }).finished;
  expect(report.result).toBe("cancelled");
  expect(report.stage("lock", "main").result).toBe("cancelled");
  expect(report.stage("lock", "post").code).toBe(0);
  expect(report.annotations("error")).toEqual([]);
  await scene.isTidy();
});

test("cancel at any moment of pre: nothing is held afterwards", async () => {
  const scene = openScene();
  // From node's first instruction to well after the usual end of an uncontended pre, most of them
  // around its claim and the moment when it hands the lock over.
  for (const after of [0, 20, 30, 40, 45, 50, 55, 60, 65, 70, 75, 80, 90, 120, 150, 220, 300]) {
    const report = await scene.job({
      steps: [scene.lock(), gateStep("deploy")],
      cancelAt: { step: "lock", stage: "pre", after },
    }).finished;
    expect(report.result).toBe("cancelled");
    expect(report.stage("lock", "post").code).toBe(0);
    expect(report.annotations("error")).toEqual([]);
    expect(report.annotations("warning")).toEqual([]);
  }
  await scene.isTidy();
});

test("cancel while main waits, where no pre ran", async () => {
  const scene = openScene();
  const holder = scene.job({ steps: [scene.lock(), gateStep("deploy")] });
  const gate = await holder.gate("deploy");
  const waiter = scene.job({ steps: [scene.lock({}, { local: true }), gateStep("deploy")] });
  await waits(waiter);
  waiter.cancel();
  const report = await waiter.finished;
  expect(report.stage("lock", "main").result).toBe("cancelled");
  expect(await scene.inspect()).toMatchObject({
    waiting: 0,
    holders: [{ owner: ownerOf(holder) }],
  });
  gate.open();
  await scene.isTidy();
});

test("the job's time is over: as a cancel", async () => {
  const scene = openScene();
  const holder = scene.job({ steps: [scene.lock(), gateStep("deploy")] });
  const gate = await holder.gate("deploy");
  const waiter = scene.job({ timeout: 3_000, steps: [scene.lock(), gateStep("deploy")] });
  const report = await waiter.finished;
  expect(report.result).toBe("cancelled");
  expect(report.stage("lock", "pre").result).toBe("cancelled");
  expect(await scene.inspect()).toMatchObject({
    waiting: 0,
    holders: [{ owner: ownerOf(holder) }],
  });
  gate.open();
  await scene.isTidy();
});

test("the job's time is over while it holds the lock", async () => {
  const scene = openScene();
  const job = scene.job({ timeout: 5_000, steps: [scene.lock(), gateStep("deploy")] });
  const report = await job.finished;
  expect(report.result).toBe("cancelled");
  expect(report.stage("deploy").signal).toBe("SIGINT");
  await scene.isTidy();
});

test("the step's own time is over while pre waits: pre fails, the line is left", async () => {
  const scene = openScene();
  const holder = scene.job({ steps: [scene.lock(), gateStep("deploy")] });
  const gate = await holder.gate("deploy");
  const waiter = scene.job({ steps: [scene.lock({}, { timeout: 3_000 }), gateStep("deploy")] });
  const report = await waiter.finished;
  expect(report.result).toBe("failure");
  expect(report.skipped).toEqual(["lock main", "deploy main"]);
  expect(await scene.holders()).toEqual([ownerOf(holder)]);
  gate.open();
  await scene.isTidy();
});

test("the lock is not acquired in time: pre fails and says who holds it", async () => {
  const scene = openScene();
  const holder = scene.job({ steps: [scene.lock(), gateStep("deploy")] });
  const gate = await holder.gate("deploy");
  const late = await scene.job({ steps: [scene.lock({ timeout: "1s" }), gateStep("deploy")] })
    .finished;
  expect(late.result).toBe("failure");
  expect(late.stage("lock", "pre").code).toBe(1);
  expect(late.annotations("error")).toHaveLength(1);
  expect(late.annotations("error")[0]).toContain(ownerOf(holder));
  expect(late.annotations("error")[0]).toContain(KEY);
  expect(late.stage("lock", "post").code).toBe(0);
  gate.open();
  await scene.isTidy();
});
