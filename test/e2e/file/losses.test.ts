import { spawnSync } from "node:child_process";
import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openStore } from "../../../src/stores/open.ts";
import { killKeeper, noticed, saysLost, verify, waits } from "../jobs.ts";
import { gateBeforeSteps, gateStep } from "../runner/start-job.ts";
import { ACTION, KEY, leaseOf, openScene, ownerOf, type Scene } from "../scene.ts";

/** What a job does about a lock that is no longer its own, and stages that run when they should not. */

async function breakLock(scene: Scene): Promise<void> {
  const store = await openStore(scene.store);
  const { broken } = await store.break(KEY, { reason: "runner on fire", owner: "alice" });
  await store.close();
  expect(broken).toHaveLength(1);
}

test("broken by a person while held: verify says no, post says who and why", async () => {
  const scene = openScene();
  const job = scene.job({
    steps: [scene.lock(), gateStep("deploy"), verify],
  });
  const gate = await job.gate("deploy");
  await breakLock(scene);
  await noticed(job);
  const next = scene.job({ steps: [scene.lock(), gateStep("deploy")] });
  const other = await next.gate("deploy");
  gate.open();
  const report = await job.finished;
  expect(report.stage("verify").code).toBe(1);
  expect(report.stage("lock", "post").code).toBe(0);
  saysLost(report, KEY, "alice", "runner on fire", ownerOf(next));
  expect(report.log("lock", "post")).toMatch(/^keeper: .*was lost/m);
  expect(report.stage("lock", "post").summary).toMatch(/lost/);
  expect(await scene.holders()).toEqual([ownerOf(next)]);
  other.open();
  expect((await next.finished).result).toBe("success");
  await scene.isTidy();
});

test("on-lost: fail makes post fail the job", async () => {
  const scene = openScene();
  const job = scene.job({ steps: [scene.lock({ "on-lost": "fail" }), gateStep("deploy")] });
  const gate = await job.gate("deploy");
  await breakLock(scene);
  await noticed(job);
  gate.open();
  const report = await job.finished;
  expect(report.stage("lock", "post").code).toBe(1);
  expect(report.result).toBe("failure");
  saysLost(report, "alice");
  await scene.isTidy();
});

test("lost between pre and main: main fails, no step runs, and main does not take it anew", async () => {
  const scene = openScene();
  const job = scene.job({ steps: [scene.lock(), gateBeforeSteps("pause"), gateStep("deploy")] });
  const gate = await job.gate("pause");
  await breakLock(scene);
  await noticed(job);
  gate.open();
  const report = await job.finished;
  expect(report.stage("lock", "main").code).toBe(1);
  expect(report.skipped).toEqual(["deploy main"]);
  expect(report.annotations("error")[0]).toContain("alice");
  expect(report.stage("lock", "post").code).toBe(0);
  expect((await scene.inspect()).holders).toEqual([]);
  await scene.isTidy();
});

test("keeper killed between pre and main: main fails", async () => {
  const scene = openScene();
  const job = scene.job({ steps: [scene.lock(), gateBeforeSteps("pause"), gateStep("deploy")] });
  const gate = await job.gate("pause");
  await killKeeper(job);
  gate.open();
  const report = await job.finished;
  expect(report.stage("lock", "main").code).toBe(1);
  expect(report.annotations("error")[0]).toMatch(/keeper has ended/);
  expect(report.skipped).toEqual(["deploy main"]);
  await scene.isTidy();
});

test("store directory gone while held: said as a loss, and the next job makes a new one", async () => {
  const scene = openScene();
  const job = scene.job({ steps: [scene.lock(), gateStep("deploy")] });
  const gate = await job.gate("deploy");
  const fence = leaseOf(job).fence as number;
  // The keeper writes its loss down while the directory is being removed.
  rmSync(join(scene.directory, "locks"), { recursive: true, maxRetries: 10, retryDelay: 10 });
  await noticed(job);
  gate.open();
  const report = await job.finished;
  expect(report.stage("lock", "post").code).toBe(0);
  saysLost(report, KEY);
  expect(existsSync(join(scene.directory, "locks"))).toBe(false);

  const next = await scene.job({ steps: [scene.lock()] }).finished;
  expect(next.result).toBe("success");
  // The wiped directory remembered nothing, and yet the number has grown.
  expect(Number(next.stage("lock").outputs.fence)).toBeGreaterThan(fence);
  await scene.isTidy();
});

test("store directory moved away while pre waits: it takes the lock in a new one", async () => {
  const scene = openScene();
  const inputs = { "dead-after": "3s" };
  const first = scene.job({ steps: [scene.lock(inputs), gateStep("deploy")] });
  const gate = await first.gate("deploy");
  const second = scene.job({ steps: [scene.lock(inputs), gateStep("deploy")] });
  await waits(second);
  // At once, unlike a removal, which would also take away what the second job makes meanwhile.
  renameSync(join(scene.directory, "locks"), join(scene.directory, "moved"));
  const next = await second.gate("deploy");
  expect(await scene.holders()).toEqual([ownerOf(second)]);
  await noticed(first);
  gate.open();
  saysLost(await first.finished, KEY, ownerOf(second));
  next.open();
  expect((await second.finished).result).toBe("success");
  await scene.isTidy();
});

test("post that runs twice releases once and is quiet the second time", async () => {
  const scene = openScene();
  const first = scene.job({
    steps: [scene.lock({}, { stages: ["pre", "main", "post", "post"] }), gateStep("deploy")],
  });
  const gate = await first.gate("deploy");
  gate.open();
  const report = await first.finished;
  expect(report.result).toBe("success");
  const posts = report.stages.filter(({ stage }) => stage === "post");
  expect(posts.map(({ code }) => code)).toEqual([0, 0]);
  expect(report.annotations("error")).toEqual([]);
  expect(report.annotations("warning")).toEqual([]);
  expect(report.log("lock", "post").match(/released/g)).toHaveLength(1);
  await scene.isTidy();
});

test("post without pre and main lets nobody's lock go", async () => {
  const scene = openScene();
  const holder = scene.job({ steps: [scene.lock(), gateStep("deploy")] });
  const gate = await holder.gate("deploy");
  const other = await scene.job({ steps: [scene.lock({}, { stages: ["post"] })] }).finished;
  expect(other.stage("lock", "post").code).toBe(0);
  expect(other.log()).toBe("");
  expect(await scene.holders()).toEqual([ownerOf(holder)]);
  gate.open();
  expect((await holder.finished).result).toBe("success");
  await scene.isTidy();
});

test("a failed pre that was swallowed: main fails, so no step runs without the lock", async () => {
  const scene = openScene();
  const holder = scene.job({ steps: [scene.lock(), gateStep("deploy")] });
  const gate = await holder.gate("deploy");
  const step = scene.lock({ timeout: "0" }, { continueOnError: true });
  const report = await scene.job({ steps: [step] }).finished;
  expect(report.stage("lock", "pre").result).toBe("failure");
  expect(report.stage("lock", "main")).toMatchObject({ code: 1, outputs: {} });
  expect(report.stage("lock", "post").code).toBe(0);
  expect(await scene.holders()).toEqual([ownerOf(holder)]);
  gate.open();
  await scene.isTidy();
});

test("two legs of a matrix with the same run id exclude each other", async () => {
  const scene = openScene();
  const run = { runId: "4711", steps: [scene.lock(), gateStep("deploy")] };
  const leg = (index: number) => ({ matrix: { region: `eu-${index}` }, index, total: 2 });
  const first = scene.job({ ...run, leg: leg(0) });
  const gate = await first.gate("deploy");
  const second = scene.job({ ...run, leg: leg(1) });
  await second.logged(
    "lock",
    /held by Deploy of \S+ \(main at [0-9a-f]+, job deploy-0\), started by octocat \(ci-github-4711-1-deploy-0\)/,
  );
  expect(await scene.holders()).toEqual(["ci-github-4711-1-deploy-0"]);
  gate.open();
  const next = await second.gate("deploy");
  expect((await first.finished).result).toBe("success");
  expect(await scene.holders()).toEqual(["ci-github-4711-1-deploy-1"]);
  next.open();
  expect((await second.finished).result).toBe("success");
  await scene.isTidy();
});

test("a step in the leg of a matrix releases by key what its own job holds", async () => {
  const scene = openScene();
  const leg = { matrix: { region: "eu-0" }, index: 0, total: 2 };
  const release = { id: "release", run: ["holdfast", "release", KEY, "--store", scene.store] };
  const job = scene.job({ leg, steps: [scene.lock(), release, gateStep("after")] });
  const gate = await job.gate("after");
  expect(await scene.holders()).toEqual([]);
  gate.open();
  const report = await job.finished;
  expect(report.stage("release").code).toBe(0);
  expect(report.result).toBe("success");
  await scene.isTidy();
});

test("two jobs that cannot be told apart still exclude each other", async () => {
  const scene = openScene();
  const run = { runId: "4712", steps: [scene.lock(), gateStep("deploy")] };
  const first = scene.job(run);
  const gate = await first.gate("deploy");
  const second = scene.job(run);
  await waits(second);
  expect(await scene.inspect()).toMatchObject({
    waiting: 1,
    holders: [{ pid: leaseOf(first).keeper.pid }],
  });
  gate.open();
  (await second.gate("deploy")).open();
  for (const job of [first, second]) expect((await job.finished).result).toBe("success");
  await scene.isTidy();
});

test("post that cannot read what was saved says so, and fails no job", () => {
  const program = join(ACTION, "dist/post/index.js");
  const env = { ...process.env, STATE_holdfast: "{ half a" };
  const ended = spawnSync(process.execPath, [program], { env, encoding: "utf8" });
  expect(ended).toMatchObject({ status: 0, stderr: "" });
  expect(ended.stdout).toMatch(/^::warning::.*earlier stages/);
});
