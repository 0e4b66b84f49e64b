import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { until } from "../../helpers/waiting.ts";
import { succeeds, verify, waits } from "../jobs.ts";
import { gateStep, type JobRun } from "../runner/start-job.ts";
import { ownerOf } from "../scene.ts";
import { type ForgeScene, lose, openForge } from "./place.ts";

/** Machines that are lost, forges that do not answer, and tokens that may not write. */

/** The questions about a job so far, each with its status. */
function askedAbout({ api }: ForgeScene, job: JobRun): string[] {
  return api.seen.filter((line) => line.endsWith(`/jobs/${job.description.checkRun}`));
}

/** Resolves when the forge was asked about the job once more. */
async function askedAgain(forge: ForgeScene, job: JobRun): Promise<void> {
  const before = askedAbout(forge, job).length;
  await until(() => askedAbout(forge, job).length > before);
}

const holdersOf = async (forge: ForgeScene) =>
  (await forge.document()).holders.map(({ owner }) => owner);

test("a lost machine: its lock is free when the forge says that the job is over, not before", {
  timeout: 600_000,
}, async () => {
  const forge = await openForge();
  const steps = [forge.lock({ "dead-after": "1s" }), gateStep("deploy"), verify];
  const first = forge.job({ steps });
  await first.gate("deploy");
  const { fence } = await forge.document();
  await lose(first);
  const second = forge.job({ steps });
  await waits(second);
  // In progress: the forge does not know yet, and nobody is robbed.
  await until(() => askedAbout(forge, first).length > 0);
  // It does not say: as little a reason.
  forge.api.fault = { status: 403 };
  await askedAgain(forge, first);
  expect(await holdersOf(forge)).toEqual([ownerOf(first)]);
  // Over, but not for long: it may still be releasing.
  forge.api.fault = undefined;
  forge.says(first, "completed", 20);
  await askedAgain(forge, first);
  expect(await holdersOf(forge)).toEqual([ownerOf(first)]);
  forge.says(first, "completed", 31);
  (await second.gate("deploy")).open();
  const report = await succeeds(second);
  expect(await forge.document()).toMatchObject({
    holds: [{ owner: ownerOf(second), end: "released" }, { owner: ownerOf(first) }],
  });
  expect(Number(report.stage("lock").outputs.fence)).toBeGreaterThan(fence as number);
  await forge.isTidy();
});

test("a forge that does not tell this job's own life: the lock lives by heartbeats", async () => {
  const forge = await openForge();
  forge.api.fault = { status: 403 };
  const job = forge.job({ steps: [forge.lock(), gateStep("deploy"), verify] });
  const gate = await job.gate("deploy");
  const { holders } = await forge.document();
  expect(holders).toMatchObject([{ owner: ownerOf(job), life: { kind: "heartbeat" } }]);
  // Ten minutes: in that time four of its renewals may fail.
  expect(holders[0]?.deadAfter).toBe(600_000);
  // It is said at once what is missing, and the line of YAML that helps.
  expect(job.events.flatMap((event) => (event.event === "log" ? [event.line] : []))).toContainEqual(
    expect.stringMatching(/^holdfast: the forge does not tell this job whether jobs live: .*ttl/),
  );
  await job.logged("lock", /^holdfast: {3}actions: read$/);
  gate.open();
  await succeeds(job);
  await forge.isTidy();
});

test("a token that may not write: one sentence with the YAML that helps", async () => {
  const forge = await openForge("read");
  const report = await forge.job({ steps: [forge.lock(), gateStep("deploy")] }).finished;
  expect(report.result).toBe("failure");
  expect(report.stage("lock", "pre").code).toBe(1);
  const errors = report.annotations("error");
  expect(errors).toHaveLength(1);
  expect(errors[0]).toContain("permissions:\n  contents: write");
  expect(errors[0]).not.toContain("fork");
  await forge.isTidy([]);
});

test("a pull request from a fork: the sentence says that no lock can be taken there", async () => {
  const forge = await openForge("read");
  const event = join(forge.directory, "event.json");
  const head = { repo: { full_name: "stranger/app" } };
  const base = { repo: { full_name: "acme/app" } };
  writeFileSync(event, JSON.stringify({ pull_request: { head, base } }));
  const env = { GITHUB_EVENT_NAME: "pull_request", GITHUB_EVENT_PATH: event };
  const report = await forge.job({ env, steps: [forge.lock(), gateStep("deploy")] }).finished;
  expect(report.result).toBe("failure");
  const errors = report.annotations("error");
  expect(errors).toHaveLength(1);
  expect(errors[0]).toMatch(/pull request from a fork.*stranger\/app/);
  expect(errors[0]).not.toContain("permissions:");
  await forge.isTidy([]);
});

test("no token: the default is a lock file, which a hosted runner refuses", async () => {
  const forge = await openForge();
  const report = await forge.job({ token: "", steps: [forge.lock()] }).finished;
  expect(report.result).toBe("failure");
  expect(report.annotations("error").join()).toMatch(/GitHub-hosted/);
  expect(report.log("lock", "pre")).toMatch(/the store is file:.*the jobs of this machine alone/);
  expect(forge.git.total).toBe(0);
  await forge.isTidy([]);
});
