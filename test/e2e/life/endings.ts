import { expect, test } from "vitest";
import {
  contended,
  holding,
  idle,
  isHeldAlone,
  printEnvironment,
  saysNothing,
  succeeds,
  verify,
  waits,
} from "../jobs.ts";
import { DIFFERENCES, openAt, type Place } from "../places.ts";
import { gateStep } from "../runner/start-job.ts";
import { KEY, leaseDirectoryOf, leaseOf, ownerOf } from "../scene.ts";

/** Every way in which a job can end while its runner lives. */
export function endings(place: Place): void {
  const { environment, momentsOfPre } = DIFFERENCES[place];

  test("success: outputs, environment and a fence, held from pre to post, then free", async () => {
    const scene = await openAt(place);
    const job = scene.job({
      environment,
      steps: [scene.lock({ note: "v1.2.3" }), gateStep("deploy"), printEnvironment, verify],
    });
    const gate = await job.gate("deploy");
    expect(await scene.holders()).toEqual([ownerOf(job)]);
    const { fence } = leaseOf(job);
    expect(fence).toBeGreaterThan(0);
    expect((await scene.inspect()).holders).toMatchObject([
      { owner: ownerOf(job), fence, note: "v1.2.3", metadata: { repository: "acme/shop" } },
    ]);
    gate.open();
    const report = await succeeds(job);
    saysNothing(report);
    expect(report.log("lock", "pre")).toMatch(/^holdfast: the store is \S+, which excludes /m);
    expect(report.log("lock", "pre")).toMatch(/^holdfast: this job holds production.*fence \d+/m);
    expect(report.log("lock", "main")).toMatch(/^holdfast: this job holds production, since /m);
    expect(report.stage("lock", "pre").outputs).toEqual({});
    const { outputs } = report.stage("lock", "main");
    expect(outputs).toEqual({
      acquired: "true",
      key: KEY,
      fence: String(fence),
      fences: JSON.stringify({ [KEY]: fence }),
      slot: "0",
      resource: "",
      "superseded-by": "",
      owner: ownerOf(job),
      waited: expect.stringMatching(/^\d+(\.\d+)?$/),
      store: scene.store,
      lease: expect.stringContaining(leaseDirectoryOf(job)),
    });
    expect(JSON.parse(report.log("show"))).toMatchObject({
      HOLDFAST_KEY: KEY,
      HOLDFAST_FENCE: String(fence),
      HOLDFAST_SLOT: "0",
      HOLDFAST_LEASE: outputs.lease,
      HOLDFAST_STORE: scene.store,
    });
    expect(report.log("lock", "post")).toMatch(/released/);
    await scene.isTidy();
  });

  test("a failing step: the lock is released all the same", async () => {
    const scene = await openAt(place);
    const job = scene.job({ steps: [scene.lock(), gateStep("deploy", { code: 7 })] });
    (await job.gate("deploy")).open();
    const report = await job.finished;
    expect(report.result).toBe("failure");
    expect(report.stage("deploy").code).toBe(7);
    expect(report.stage("lock", "post").code).toBe(0);
    saysNothing(report);
    await scene.isTidy();
  });

  test("two jobs: the second waits in line and gets the lock after the first", async () => {
    const scene = await openAt(place);
    const { first, gate, second } = await contended(scene);
    const { line } = await waits(second);
    expect(line).toContain(ownerOf(first));
    expect((await scene.inspect()).waiters).toMatchObject([
      { owner: ownerOf(second), position: 1 },
    ]);
    expect(await scene.holders()).toEqual([ownerOf(first)]);
    const { fence } = leaseOf(first);
    gate.open();
    const next = await second.gate("deploy");
    expect(await scene.holders()).toEqual([ownerOf(second)]);
    expect(leaseOf(second).fence).toBeGreaterThan(fence as number);
    next.open();
    for (const job of [first, second]) {
      saysNothing(await succeeds(job));
    }
    await scene.isTidy();
  });

  test("cancel while waiting: the line is left, and the holder keeps its lock", async () => {
    const scene = await openAt(place);
    const { first, gate, second } = await contended(scene);
    second.cancel();
    const report = await second.finished;
    expect(report.result).toBe("cancelled");
    expect(report.stage("lock", "pre").result).toBe("cancelled");
    // SIGINT was enough: nothing had to be terminated or killed.
    expect(second.events.filter(({ event }) => event === "signal")).toHaveLength(1);
    expect(report.stage("lock", "post").code).toBe(0);
    expect(report.annotations("error")).toEqual([]);
    await isHeldAlone(scene, first);
    gate.open();
    await succeeds(first);
    await scene.isTidy();
  });

  test("cancel while held: the step is stopped, post releases", async () => {
    const scene = await openAt(place);
    const job = scene.job({ steps: [scene.lock(), gateStep("deploy"), gateStep("after")] });
    await job.gate("deploy");
    job.cancel();
    const report = await job.finished;
    expect(report.result).toBe("cancelled");
    expect(report.stage("deploy").signal).toBe("SIGINT");
    expect(report.stage("lock", "post")).toMatchObject({ code: 0, result: "success" });
    await scene.isTidy();
  });

  test("cancel during main: post releases", async () => {
    const scene = await openAt(place);
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
    const scene = await openAt(place);
    for (const after of momentsOfPre) {
      const report = await scene.job({
        steps: [scene.lock(), gateStep("deploy")],
        cancelAt: { step: "lock", stage: "pre", after },
      }).finished;
      expect(report.result).toBe("cancelled");
      expect(report.stage("lock", "post").code).toBe(0);
      saysNothing(report);
    }
    await scene.isTidy();
  });

  test("cancel while main waits, where no pre ran", async () => {
    const scene = await openAt(place);
    const { job: holder, gate } = await holding(scene);
    const waiter = scene.job({ steps: [scene.lock({}, { local: true }), gateStep("deploy")] });
    await waits(waiter);
    waiter.cancel();
    const report = await waiter.finished;
    expect(report.stage("lock", "main").result).toBe("cancelled");
    await isHeldAlone(scene, holder);
    gate.open();
    await scene.isTidy();
  });

  test("the job's time is over: as a cancel", async () => {
    const scene = await openAt(place);
    const { job: holder, gate } = await holding(scene);
    const waiter = scene.job({ timeout: 3_000, steps: [scene.lock(), gateStep("deploy")] });
    const report = await waiter.finished;
    expect(report.result).toBe("cancelled");
    expect(report.stage("lock", "pre").result).toBe("cancelled");
    await isHeldAlone(scene, holder);
    gate.open();
    await scene.isTidy();
  });

  test("the job's time is over while it holds the lock", async () => {
    const scene = await openAt(place);
    const job = scene.job({ timeout: 5_000, steps: [scene.lock(), gateStep("deploy")] });
    const report = await job.finished;
    expect(report.result).toBe("cancelled");
    expect(report.stage("deploy").signal).toBe("SIGINT");
    await scene.isTidy();
  });

  test("the step's own time is over while pre waits: pre fails, the line is left", async () => {
    const scene = await openAt(place);
    const { job: holder, gate } = await holding(scene);
    const waiter = scene.job({ steps: [scene.lock({}, { timeout: 3_000 }), gateStep("deploy")] });
    const report = await waiter.finished;
    expect(report.result).toBe("failure");
    expect(report.skipped).toEqual(["lock main", "deploy main"]);
    expect(await scene.holders()).toEqual([ownerOf(holder)]);
    gate.open();
    await scene.isTidy();
  });

  test("the lock is not acquired in time: pre fails and says who holds it", async () => {
    const scene = await openAt(place);
    const { job: holder, gate } = await holding(scene);
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

  test("required: false and a busy lock: the job goes on without it", async () => {
    const scene = await openAt(place);
    const { job: holder, gate } = await holding(scene);
    for (const timeout of ["0", "1s"]) {
      const step = scene.lock({ required: "false", timeout });
      const report = await scene.job({ steps: [step, idle("deploy")] }).finished;
      expect(report.result).toBe("success");
      expect(report.stage("lock").outputs.acquired).toBe("false");
      for (const stage of ["pre", "main"] as const)
        expect(report.stage("lock", stage).env).toEqual({});
      expect(report.annotations("notice")[0]).toContain(ownerOf(holder));
      saysNothing(report);
    }
    await isHeldAlone(scene, holder);
    gate.open();
    await succeeds(holder);
    await scene.isTidy();
  });
}
