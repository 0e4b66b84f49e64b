import { expect, test } from "vitest";
import { until } from "../../helpers/waiting.ts";
import { succeeds, verify, waits } from "../jobs.ts";
import { gateStep } from "../runner/start-job.ts";
import { ownerOf } from "../scene.ts";
import { logOf, lose, openForge, TOKEN } from "./place.ts";

/** Tokens that end before their job does, and tokens that may not see other jobs. */

test("a token that ends in the middle of a job: said in the log, and the lock ends with the job", {
  timeout: 300_000,
}, async () => {
  const forge = await openForge();
  const steps = [forge.lock({ "dead-after": "1s" }), gateStep("deploy"), verify];
  const first = forge.job({ steps });
  const gate = await first.gate("deploy");
  forge.right = null;
  // The keeper looks at its lock three times in its dead-after.
  await until(() => logOf(first).some((line) => /accept the token/.test(line)));
  gate.open();
  const report = await first.finished;
  // What cannot be asked is not confirmed.
  expect(report.stage("verify").code).toBe(2);
  expect(report.log("verify")).toMatch(/does not accept the token/);
  expect(report.stage("lock", "post").code).toBe(0);
  const [warning, ...others] = report.annotations("warning");
  expect(others).toEqual([]);
  expect(warning).toMatch(/could not be released.*a longer job needs a token of its own/s);
  expect(warning).not.toContain(TOKEN);
  expect(report.log("lock", "post")).toMatch(/keeper: .*does not accept the token/);
  // The next job has a token again, and is told by the forge that the first one is over.
  forge.right = "write";
  const second = forge.job({ steps });
  await waits(second);
  forge.says(first, "completed", 31);
  (await second.gate("deploy")).open();
  await succeeds(second);
  expect((await forge.document()).holds).toMatchObject([
    { owner: ownerOf(second), end: "released" },
    { owner: ownerOf(first), end: "dead" },
  ]);
  await forge.isTidy();
});

test("another repository as the home: its own token, and a life by heartbeats", async () => {
  const forge = await openForge();
  const home = { store: "github:acme/app", token: TOKEN };
  const steps = [forge.lock(home), gateStep("deploy"), verify];
  // The job's own token is for its own repository alone.
  const job = forge.job({ repository: "acme/web", token: "ghs_of-acme-web", steps });
  const gate = await job.gate("deploy");
  const { holders } = await forge.document();
  expect(holders).toMatchObject([{ owner: ownerOf(job), life: { kind: "heartbeat" } }]);
  // Nobody could be asked about it: the forge is not asked either.
  expect(forge.api.seen).toEqual([]);
  gate.open();
  const report = await succeeds(job);
  expect(report.log("lock", "pre")).toContain(`the store is ${forge.git.url}`);
  expect(report.log("lock")).not.toContain("actions: read");
  await forge.isTidy();
  const refused = forge.job({
    repository: "acme/web",
    token: "ghs_of-acme-web",
    steps: [forge.lock({ store: "github:acme/app" })],
  });
  const { annotations } = await refused.finished;
  expect(annotations("error").join()).toMatch(
    /does not accept the token|for another, give a token/,
  );
});

test("a forge that tells a job no id: it is found by its runner's name, alive and lost", {
  timeout: 300_000,
}, async () => {
  const forge = await openForge("write", "/api/v3");
  const steps = [forge.lock({ "dead-after": "1s" }), gateStep("deploy"), verify];
  const onRunner = (name: string) => ({ checkRun: "", env: { RUNNER_NAME: name }, steps });
  const named = (name: string) => {
    forge.api.jobs = forge.api.jobs.map((job, index, all) =>
      index === all.length - 1 ? { ...job, runner_name: name } : job,
    );
  };
  const first = forge.job(onRunner("one"));
  named("one");
  await first.gate("deploy");
  expect((await forge.document()).holders).toMatchObject([
    { owner: ownerOf(first), life: { kind: "job", job: null, runner: "one" } },
  ]);
  await lose(first);
  const second = forge.job(onRunner("two"));
  named("two");
  await waits(second);
  forge.api.jobs = forge.api.jobs.map((job) =>
    job.runner_name === "one"
      ? { ...job, status: "completed", completed_at: forge.api.ago(31) }
      : job,
  );
  (await second.gate("deploy")).open();
  await succeeds(second);
  await forge.isTidy();
});
